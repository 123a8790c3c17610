r"""The base class of models that score all candidates of a query."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

import torch
from torch import Tensor
from torch.nn import Embedding
from torch_geometric.nn.kge import KGEModel

from pyg_cagp._utils.checks import check_least
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import Side

#: The sides of a triple that a query can predict.
SIDES: tuple[Side, ...] = ("tail", "head")


class QueryKGEModel(KGEModel, ABC):
    r"""A base class for models that score a triple from three embeddings, and
    all candidates of a query at once.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int): The hidden embedding size.
        reciprocal (bool, optional): If set to :obj:`True`, each relation has an
            inverse, with the embedding :obj:`num_relations + rel_type`. The
            query :math:`(t, r^{-1}, ?)` then replaces :math:`(?, r, t)`.
            (default: :obj:`False`)
        sparse (bool, optional): If set to :obj:`True`, gradients w.r.t. the
            embedding matrices will be sparse. (default: :obj:`False`)
    """

    #: The embedding size of an entity, and of a relation, per hidden channel.
    node_width = 1
    rel_width = 1

    #: Whether no score changes if its head and tail swap places.
    symmetric: ClassVar[bool] = False

    #: The largest number of values in memory where candidates are scored pair
    #: by pair.
    max_numbers = 2**23

    #: The source of random numbers; PyTorch's global generator if None.
    generator: torch.Generator | None = None

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        hidden_channels: int,
        *,
        reciprocal: bool = False,
        sparse: bool = False,
    ) -> None:
        check_least("hidden_channels", hidden_channels, 1)
        super().__init__(num_nodes, num_relations, hidden_channels, sparse)
        self.reciprocal = reciprocal
        #: The number of values of a pair of a query and a candidate.
        self.pair_width = self.node_width * hidden_channels
        self.node_emb = Embedding(num_nodes, self.pair_width, sparse=sparse)
        num, width = (1 + reciprocal) * num_relations, self.rel_width
        self.rel_emb = Embedding(num, width * hidden_channels, sparse=sparse)

    @abstractmethod
    def interaction(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Scores embeddings, which defines the model.

        Args:
            head (torch.Tensor): Embeddings, of shape :obj:`[..., channels]`.
            rel (torch.Tensor): Embeddings, of shape :obj:`[..., channels]`.
            tail (torch.Tensor): Embeddings, of shape :obj:`[..., channels]`.

        Returns:
            Scores of shape :obj:`[...]`, higher for more plausible triples.
        """

    def with_entities(self, node_emb: Tensor) -> Self:
        r"""Returns a frozen copy of the model with other embeddings of
        entities, such as those of an encoder.
        """
        shape = list(self.node_emb.weight.shape)
        if list(node_emb.shape) != shape:
            raise InvalidInputError(
                f"'node_emb' must have shape {shape} (got "
                f"{list(node_emb.shape)})"
            )
        model = copy.deepcopy(self).requires_grad_(False)
        weight = node_emb.detach().clone()
        model.node_emb.weight = torch.nn.Parameter(weight, requires_grad=False)
        return model

    def embed(self, entity: Tensor | None = None) -> Tensor:
        r"""Returns the input of :meth:`interaction` for entities, by default
        for all of them.
        """
        return self.node_emb.weight if entity is None else self.node_emb(entity)

    def embed_rel(self, rel_type: Tensor) -> Tensor:
        r"""Returns the input of :meth:`interaction` for relations."""
        return self.rel_emb(rel_type)

    def forward(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the score of each triple, at the means of distributions.

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
        """
        head, rel = head[:, None], rel[:, None]
        parts = self._parts(tails, len(head))
        return torch.cat([self.interaction(head, rel, p) for p in parts], 1)

    def score_all_heads(
        self, heads: Tensor, rel: Tensor, tail: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of heads."""
        rel, tail = rel[:, None], tail[:, None]
        parts = self._parts(heads, len(tail))
        return torch.cat([self.interaction(p, rel, tail) for p in parts], 1)

    def _parts(self, candidates: Tensor, num_queries: int) -> Sequence[Tensor]:
        # All values of each pair of a query and a candidate are in memory.
        width = max(1, num_queries * self.pair_width)
        return candidates[None].split(max(1, self.max_numbers // width), dim=1)

    def draw_nodes(self, shape: Sequence[int], device: torch.device) -> Tensor:
        r"""Draws entities uniformly, from :attr:`generator`."""
        source = self.generator
        return torch.randint(
            self.num_nodes, shape, generator=source, device=device
        )

    def query_rel(self, side: str, rel_type: Tensor) -> tuple[Tensor, bool]:
        r"""Returns the embeddings of the relations of queries, and whether the
        answer takes the place of the head.
        """
        inverse = side == "head" and self.reciprocal
        rel_type = rel_type + self.num_relations if inverse else rel_type
        return self.embed_rel(rel_type), side == "head" and not inverse

    def score_candidates(
        self, side: str, given: Tensor, rel_type: Tensor, candidates: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of candidates.

        Args:
            side (str): The side to answer, :obj:`"tail"` or :obj:`"head"`.
            given (torch.Tensor): Embeddings of the entities of the other side,
                of shape :obj:`[B, channels]`.
            rel_type (torch.Tensor): The relation type, of shape :obj:`[B]`.
            candidates (torch.Tensor): Embeddings, of shape
                :obj:`[N, channels]`.
        """
        rel, is_head = self.query_rel(side, rel_type)
        if is_head:
            return self.score_all_heads(candidates, rel, given)
        return self.score_all_tails(given, rel, candidates)

    def score_answer(
        self, side: str, given: Tensor, rel_type: Tensor, answer: Tensor
    ) -> Tensor:
        r"""Scores one candidate for each query; see :meth:`score_candidates`.

        Args:
            side (str): The side to answer, :obj:`"tail"` or :obj:`"head"`.
            given (torch.Tensor): Embeddings, of shape :obj:`[..., channels]`.
            rel_type (torch.Tensor): The relation type, of shape :obj:`[...]`.
            answer (torch.Tensor): Embeddings, of shape :obj:`[..., channels]`.
        """
        rel, is_head = self.query_rel(side, rel_type)
        if is_head:
            return self.interaction(answer, rel, given)
        return self.interaction(given, rel, answer)

    def score_tails(self, head_index: Tensor, rel_type: Tensor) -> Tensor:
        r"""Scores all entities as tails of :math:`(h, r, ?)`, of shape
        :obj:`[B, num_nodes]`.

        Args:
            head_index (torch.Tensor): The head indices, of shape :obj:`[B]`.
            rel_type (torch.Tensor): The relation type, of shape :obj:`[B]`.
        """
        given = self.embed(head_index)
        return self.score_candidates("tail", given, rel_type, self.embed())

    def score_heads(self, rel_type: Tensor, tail_index: Tensor) -> Tensor:
        r"""Scores all entities as heads of :math:`(?, r, t)`, of shape
        :obj:`[B, num_nodes]`.

        Args:
            rel_type (torch.Tensor): The relation type, of shape :obj:`[B]`.
            tail_index (torch.Tensor): The tail indices, of shape :obj:`[B]`.
        """
        given = self.embed(tail_index)
        return self.score_candidates("head", given, rel_type, self.embed())
