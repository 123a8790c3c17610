r"""Models whose score is linear in the head and in the tail."""

from abc import abstractmethod
from typing import ClassVar, Unpack

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.base import GaussianKGEModel
from pyg_cagp.nn.kge.draw import Draws, Moments, SideScores
from pyg_cagp.nn.kge.integrate import (
    noisy_pairs,
    noisy_products,
    raised_pairs,
    raised_products,
)
from pyg_cagp.nn.kge.kvsall import QueryBatch
from pyg_cagp.nn.kge.options import GaussianOptions
from pyg_cagp.typing import Side


class BilinearKGEModel(GaussianKGEModel):
    r"""A base class for bilinear scores.

    .. math::
        d(h, r, t) = \mathbf{e}_h^{\top} \mathbf{M}_r \mathbf{e}_t.

    All candidates are scored by one matrix product, and the variance of the
    score has a closed form: with means :math:`\boldsymbol{\mu}` and variances
    :math:`\mathbf{s}`,

    .. math::
        \textrm{Var}(d) = \mathbf{s}_h^{\top} (\mathbf{M} \boldsymbol{\mu}_t)^2
        + \mathbf{s}_t^{\top} (\mathbf{M}^{\top} \boldsymbol{\mu}_h)^2
        + \mathbf{s}_h^{\top} (\mathbf{M} \circ \mathbf{M}) \mathbf{s}_t.

    For a triple whose head is its tail, the score is a quadratic form in one
    Gaussian, and

    .. math::
        \textrm{Var}(d) = \mathbf{s}^{\top} ((\mathbf{M} + \mathbf{M}^{\top})
        \boldsymbol{\mu})^2 + \mathbf{s}^{\top} (\mathbf{M} \circ \mathbf{M} +
        \mathbf{M} \circ \mathbf{M}^{\top}) \mathbf{s}.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int): The hidden embedding size.
        dropout (float, optional): The probability that training sets a number
            of a relation's embedding to zero. (default: :obj:`0.0`)
        **kwargs (optional): Additional arguments of
            :class:`~pyg_cagp.nn.kge.GaussianKGEModel`.

    .. note::
        For its use as a base class, see ``docs/howto/new_model.md``.
    """

    is_bilinear: ClassVar[bool] = True

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        hidden_channels: int,
        *,
        dropout: float = 0.0,
        **kwargs: Unpack[GaussianOptions],
    ) -> None:
        if not 0 <= dropout < 1:
            raise InvalidInputError(
                f"'dropout' must lie in [0, 1) (got {dropout})"
            )
        super().__init__(num_nodes, num_relations, hidden_channels, **kwargs)
        self.dropout = dropout

    def embed_rel(self, rel_type: Tensor) -> Tensor:
        r"""Returns the embeddings of relations, with dropout in training."""
        rel = super().embed_rel(rel_type)
        if not self.training or self.dropout == 0:
            return rel
        # From the model's generator, so that a resumed run has the same masks.
        source, device = self.generator, rel.device
        uniform = torch.rand(rel.shape, generator=source, device=device)
        return rel * (uniform >= self.dropout) / (1 - self.dropout)

    @abstractmethod
    def map_tail(self, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Returns :math:`\mathbf{M}_r \mathbf{e}_t`."""

    @abstractmethod
    def transpose(self, rel: Tensor) -> Tensor:
        r"""Returns the relation whose matrix is :math:`\mathbf{M}_r^{\top}`."""

    @abstractmethod
    def map_squared(self, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Returns :math:`(\mathbf{M}_r \circ \mathbf{M}_r) \mathbf{e}_t`."""

    @abstractmethod
    def map_crossed(self, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Returns :math:`(\mathbf{M}_r \circ \mathbf{M}_r^{\top})
        \mathbf{e}_t`.
        """

    @abstractmethod
    def map_moment(self, rel: Tensor, mass: Tensor, tails: Tensor) -> Tensor:
        r"""Returns :math:`\sum_k w_{bk} (\mathbf{M}_{r_b} \mathbf{e}_k)^2`.

        Args:
            rel (torch.Tensor): Embeddings, of shape :obj:`[B, channels]`.
            mass (torch.Tensor): The weights, of shape :obj:`[B, N]`.
            tails (torch.Tensor): Embeddings, of shape :obj:`[N, channels]`.
        """

    def map_head(self, rel: Tensor, head: Tensor) -> Tensor:
        r"""Returns :math:`\mathbf{M}_r^{\top} \mathbf{e}_h`."""
        return self.map_tail(self.transpose(rel), head)

    def interaction(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Scores embeddings."""
        return (self.map_head(rel, head) * tail).sum(dim=-1)

    def score_all_tails(
        self, head: Tensor, rel: Tensor, tails: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of tails."""
        return self.map_head(rel, head) @ tails.t()

    def score_all_heads(
        self, heads: Tensor, rel: Tensor, tail: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of heads."""
        return self.map_tail(rel, tail) @ heads.t()

    def score_variance(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the variance of each score, exactly."""
        rel = self.rel_emb(rel_type)
        head_var, tail_var = map(self.variance, (head_index, tail_index))
        by_head = self.map_tail(rel, self.node_emb(tail_index))
        by_tail = self.map_head(rel, self.node_emb(head_index))
        by_both = (head_var * self.map_squared(rel, tail_var)).sum(-1)
        apart = (head_var * by_head**2 + tail_var * by_tail**2).sum(-1)
        crossed = (head_var * self.map_crossed(rel, tail_var)).sum(-1)
        together = (head_var * (by_head + by_tail) ** 2).sum(-1) + crossed
        return by_both + torch.where(head_index == tail_index, together, apart)

    def query(self, side: Side, given: Tensor, rel_type: Tensor) -> Tensor:
        r"""Returns the vector whose product with an embedding is its score as
        an answer; see :meth:`score_answer`.
        """
        rel, is_head = self.query_rel(side, rel_type)
        return (self.map_tail if is_head else self.map_head)(rel, given)

    def side_scores(
        self, side: Side, rel_type: Tensor, drawn: Draws
    ) -> SideScores:
        r"""Scores the answers of one side of a batch of triples, and all other
        entities as candidates.
        """
        if drawn.moments is None:
            return super().side_scores(side, rel_type, drawn)
        head, tail, other = drawn.moments
        given, answer = drawn.head, tail
        if side == "head":
            given, answer = drawn.tail, head
        query = self.query(side, given, rel_type)
        logits = self._logits(query, other)
        if self.noise == "none":
            true, half = raised_pairs(query, answer)
            return SideScores(true, true + half, logits)
        true = noisy_pairs(query, answer, self._normal(rel_type.shape))
        return SideScores(true, true, logits)

    def pair_scores(
        self, rel_type: Tensor, drawn: Draws
    ) -> tuple[Tensor, Tensor]:
        r"""Scores the answer and the other entity of each triple, of which one
        side is drawn.
        """
        assert drawn.turned is not None
        assert drawn.moments is not None
        rel = self.embed_rel(rel_type)
        inverse = self.transpose(rel)
        if inverse is not rel:
            rel = torch.where(drawn.turned[:, None], rel, inverse)
        query = self.map_tail(rel, drawn.head)
        _, *candidates = drawn.moments
        true, false = (
            noisy_pairs(query, part, self._normal(rel_type.shape))
            for part in candidates
        )
        return true, false

    def query_logits(
        self, batch: QueryBatch, nodes: Tensor | Moments
    ) -> tuple[Tensor, Tensor | None]:
        r"""Scores all entities as answers of queries; see
        :meth:`GaussianKGEModel.query_logits`.
        """
        if isinstance(nodes, Tensor):
            return super().query_logits(batch, nodes)
        mean, std = (part.index_select(0, batch.given) for part in nodes)
        if self.noise == "none":
            query = self.query(batch.side, mean, batch.rel_type)
            answers = Moments(*(p.index_select(0, batch.answer) for p in nodes))
            rows = query.index_select(0, batch.row)
            _, half = raised_pairs(rows, answers)
            return self._logits(query, nodes), half.sum()
        given = mean + std * self._normal(mean.shape)
        query = self.query(batch.side, given, batch.rel_type)
        return self._logits(query, nodes), None

    def _logits(self, query: Tensor, nodes: Moments) -> Tensor:
        r"""Draws scores, or raises them by half their variance."""
        if self.noise == "none":
            return raised_products(query, nodes)
        noise = self._normal((len(query), len(nodes.mean)))
        return noisy_products(query, nodes, noise)
