r"""Models that score embeddings, and answer queries in bulk."""

import copy
from abc import ABC, abstractmethod
from typing import Self

import torch
from torch import Tensor
from torch.nn import Embedding
from torch_geometric.nn.kge import KGEModel

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import Side

#: The sides that a query can leave open.
SIDES: tuple[Side, ...] = ("tail", "head")


class QueryKGEModel(KGEModel, ABC):
    r"""A base class for models that are one function of three embeddings, and
    score all candidates of a query at once.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int): The hidden embedding size.
        reciprocal (bool, optional): If set to :obj:`True`, each relation has an
            inverse with an embedding of its own, number
            :obj:`num_relations + rel_type`, and :math:`(?, r, t)` is asked as
            :math:`(t, r^{-1}, ?)`. A head is then scored by the inverse, and
            not as :meth:`forward` scores the triple. (default: :obj:`False`)
        sparse (bool, optional): If set to :obj:`True`, gradients w.r.t. to the
            embedding matrices will be sparse. (default: :obj:`False`)
    """

    #: How many numbers an entity, and a relation, has for a hidden channel.
    node_width = 1
    rel_width = 1

    #: How many numbers to hold at a time where candidates are scored by pairs.
    max_numbers = 2**23

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        hidden_channels: int,
        *,
        reciprocal: bool = False,
        sparse: bool = False,
    ) -> None:
        if hidden_channels < 1:
            raise InvalidInputError(
                f"'hidden_channels' must be positive (got {hidden_channels})"
            )
        super().__init__(num_nodes, num_relations, hidden_channels, sparse)
        self.reciprocal = reciprocal
        #: How many numbers a pair of a query and a candidate takes.
        self.pair_width = self.node_width * hidden_channels
        self.node_emb = Embedding(
            num_nodes, self.node_width * hidden_channels, sparse=sparse
        )
        self.rel_emb = Embedding(
            2 * num_relations if reciprocal else num_relations,
            self.rel_width * hidden_channels,
            sparse=sparse,
        )

    @abstractmethod
    def interaction(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Scores embeddings; what a model is made of.

        Args:
            head (torch.Tensor): Embeddings of heads, of shape
                :obj:`[..., node_channels]`.
            rel (torch.Tensor): Embeddings of relations, of shape
                :obj:`[..., rel_channels]`.
            tail (torch.Tensor): Embeddings of tails, of shape
                :obj:`[..., node_channels]`.

        Returns:
            Scores of shape :obj:`[...]`, higher for more plausible triples.
        """

    def with_entities(self, node_emb: Tensor) -> Self:
        r"""Returns a frozen copy of the model with other embeddings of
        entities, such as those that an encoder returns.

        Args:
            node_emb (torch.Tensor): The embeddings, of shape
                :obj:`[num_nodes, node_channels]`.
        """
        if node_emb.shape != self.node_emb.weight.shape:
            raise InvalidInputError(
                f"'node_emb' must have shape "
                f"{list(self.node_emb.weight.shape)} (got "
                f"{list(node_emb.shape)})"
            )
        model = copy.deepcopy(self).requires_grad_(False)
        model.node_emb.weight = torch.nn.Parameter(
            node_emb.detach().clone(), requires_grad=False
        )
        return model

    def embed(self, entity: Tensor | None = None) -> Tensor:
        r"""Returns what :meth:`interaction` takes for entities.

        Args:
            entity (torch.Tensor, optional): The entities; all of them if set
                to :obj:`None`. (default: :obj:`None`)
        """
        return self.node_emb.weight if entity is None else self.node_emb(entity)

    def embed_rel(self, rel_type: Tensor) -> Tensor:
        r"""Returns what :meth:`interaction` takes for relations.

        Args:
            rel_type (torch.Tensor): The relation type.
        """
        return self.rel_emb(rel_type)

    def forward(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the score of each triple at the embeddings
        of its entities, which are means if entities are distributions.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
        """
        return self.interaction(
            self.embed(head_index),
            self.embed_rel(rel_type),
            self.embed(tail_index),
        )

    def score_all_tails(
        self, head: Tensor, rel: Tensor, tails: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of tails.

        Args:
            head (torch.Tensor): Embeddings, of shape :obj:`[B, channels]`.
            rel (torch.Tensor): Embeddings, of shape :obj:`[B, channels]`.
            tails (torch.Tensor): Embeddings, of shape :obj:`[N, channels]`.

        Returns:
            Scores of shape :obj:`[B, N]`.
        """
        # Some at a time: each pair has all its numbers in memory.
        return torch.cat(
            [
                self.interaction(head[:, None], rel[:, None], part[None])
                for part in tails.split(self._pairs_at_once(head))
            ],
            dim=1,
        )

    def score_all_heads(
        self, heads: Tensor, rel: Tensor, tail: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of heads; see
        :meth:`score_all_tails`.
        """
        return torch.cat(
            [
                self.interaction(part[None], rel[:, None], tail[:, None])
                for part in heads.split(self._pairs_at_once(tail))
            ],
            dim=1,
        )

    def _pairs_at_once(self, given: Tensor) -> int:
        return max(1, self.max_numbers // max(1, len(given) * self.pair_width))

    def score_candidates(
        self, side: str, given: Tensor, rel_type: Tensor, candidates: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries, whichever side they ask for, against one
        list of candidates.

        Args:
            side (str): The side asked for, :obj:`"tail"` or :obj:`"head"`.
            given (torch.Tensor): Embeddings of the entities of the other side,
                of shape :obj:`[B, channels]`.
            rel_type (torch.Tensor): The relation type, of shape :obj:`[B]`.
            candidates (torch.Tensor): Embeddings, of shape
                :obj:`[N, channels]`.

        Returns:
            Scores of shape :obj:`[B, N]`.
        """
        if side == "tail":
            rel = self.embed_rel(rel_type)
            return self.score_all_tails(given, rel, candidates)
        if self.reciprocal:
            rel = self.embed_rel(rel_type + self.num_relations)
            return self.score_all_tails(given, rel, candidates)
        return self.score_all_heads(candidates, self.embed_rel(rel_type), given)

    def score_answer(
        self, side: str, given: Tensor, rel_type: Tensor, answer: Tensor
    ) -> Tensor:
        r"""Scores one candidate for each query; see :meth:`score_candidates`.

        Args:
            side (str): The side asked for, :obj:`"tail"` or :obj:`"head"`.
            given (torch.Tensor): Embeddings, of shape
                :obj:`[..., channels]`.
            rel_type (torch.Tensor): The relation type, of shape :obj:`[...]`.
            answer (torch.Tensor): Embeddings, of shape
                :obj:`[..., channels]`.
        """
        if side == "tail":
            return self.interaction(given, self.embed_rel(rel_type), answer)
        if self.reciprocal:
            rel = self.embed_rel(rel_type + self.num_relations)
            return self.interaction(given, rel, answer)
        return self.interaction(answer, self.embed_rel(rel_type), given)

    def score_tails(self, head_index: Tensor, rel_type: Tensor) -> Tensor:
        r"""Scores all entities as tails of :math:`(h, r, ?)`.

        Args:
            head_index (torch.Tensor): The head indices, of shape :obj:`[B]`.
            rel_type (torch.Tensor): The relation type, of shape :obj:`[B]`.

        Returns:
            Scores of shape :obj:`[B, num_nodes]`.
        """
        return self.score_candidates(
            "tail", self.embed(head_index), rel_type, self.embed()
        )

    def score_heads(self, rel_type: Tensor, tail_index: Tensor) -> Tensor:
        r"""Scores all entities as heads of :math:`(?, r, t)`.

        Args:
            rel_type (torch.Tensor): The relation type, of shape :obj:`[B]`.
            tail_index (torch.Tensor): The tail indices, of shape :obj:`[B]`.

        Returns:
            Scores of shape :obj:`[B, num_nodes]`.
        """
        return self.score_candidates(
            "head", self.embed(tail_index), rel_type, self.embed()
        )
