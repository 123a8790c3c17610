r"""The draws of a training step, and the divergences of what is drawn."""

from typing import ClassVar

import torch
from torch import Tensor
from torch.nn import Embedding

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.draw import (
    DrawAndDiverge,
    Draws,
    Layout,
    Moments,
    SideScores,
)
from pyg_cagp.nn.kge.objective import Objective, OneNegative
from pyg_cagp.nn.kge.options import Noise
from pyg_cagp.nn.kge.prior import GaussianPrior
from pyg_cagp.nn.kge.query import QueryKGEModel
from pyg_cagp.nn.kge.softmax import SelfAdversarial
from pyg_cagp.typing import Side


class NoisyKGEModel(QueryKGEModel):
    r"""How noise enters the training of a
    :class:`~pyg_cagp.nn.kge.GaussianKGEModel`, which sets the attributes below.
    """

    prior: GaussianPrior
    kl_weight: float
    variational: bool
    noise: Noise
    node_log_var: Embedding
    node_freq: Tensor
    objective: Objective

    #: Whether a score is linear in its head and in its tail, so that
    #: candidates can be integrated.
    is_bilinear: ClassVar[bool] = False

    @property
    def integrates(self) -> bool:
        r"""Whether candidates enter a loss by their moments, without draws."""
        return self.variational and self.noise != "coordinate"

    def check_noise(self) -> None:
        r"""Checks that model and objective allow the option :obj:`noise`."""
        if not self.is_bilinear:
            raise InvalidInputError(
                f"'noise' must be 'coordinate' for {self.__class__.__name__}, "
                f"whose scores of Gaussian entities are not Gaussian (got "
                f"{self.noise!r})"
            )
        if self.noise == "none" and isinstance(
            self.objective, (OneNegative, SelfAdversarial)
        ):
            raise InvalidInputError(
                f"'noise' must be 'coordinate' or 'score' for "
                f"{self.objective!r}, whose loss has no closed bound over "
                f"Gaussian scores (got 'none'); or use a softmax, such as "
                f"SampledSoftmax"
            )

    def kl_divergence(self, entity: Tensor) -> Tensor:
        r"""Returns the divergence of each posterior from the prior; see
        :meth:`~pyg_cagp.nn.kge.GaussianPrior.divergence`.
        """
        log_var = self.node_log_var(entity) if self.variational else None
        return self.prior.divergence(self.node_emb(entity), log_var)

    def kl_term(self, head_index: Tensor, tail_index: Tensor) -> Tensor:
        r"""Returns the prior term of a batch, per triple; see
        :class:`~pyg_cagp.nn.kge.GaussianPrior`. With the reduction
        :obj:`"occurrence"`, its mean over an epoch is
        :math:`\sum_i \textrm{KL}_i` divided by the number of triples.
        """
        if self.prior.reduction == "dense":
            every = torch.arange(self.num_nodes, device=head_index.device)
            return self.kl_divergence(every).mean()
        share = self._shares(head_index, tail_index)
        slots = torch.cat([head_index, tail_index])
        return (share * self.kl_divergence(slots)).sum()

    def draw(
        self, head_index: Tensor, tail_index: Tensor, other: Tensor
    ) -> tuple[Draws, Tensor]:
        r"""Draws the entities of a batch from the posterior, independently for
        each slot. Returns the draws and the :meth:`kl_term` of heads and tails.
        """
        entity = head_index, tail_index, other
        if not self.integrates:
            (head, tail, rest), _, kl = self._draw_batch(*entity, 3, 3)
            return Draws(head, tail, rest), kl
        (head, tail), moments, kl = self._draw_batch(*entity, 2, 0)
        of_head, of_tail, of_rest = moments
        parts = head, tail, head[:0]
        return Draws(*parts, moments=(of_head, of_tail, of_rest)), kl

    def draw_turned(
        self, given: Tensor, answer: Tensor, other: Tensor, turned: Tensor
    ) -> tuple[Draws, Tensor]:
        r"""Draws the given entities of triples with one query each, whose
        candidates are integrated.

        Args:
            given (torch.Tensor): The given entities.
            answer (torch.Tensor): The answers.
            other (torch.Tensor): The other entities.
            turned (torch.Tensor): Marks triples whose head is the answer.
        """
        parts = self._draw_batch(given, answer, other, 1, 1)
        (head,), (of_answer, of_rest), kl = parts
        empty = head[:0]
        moments = Moments(empty, empty), of_answer, of_rest
        return Draws(head, empty, empty, moments, turned), kl

    def _draw_batch(
        self,
        head_index: Tensor,
        tail_index: Tensor,
        other: Tensor,
        num_drawn: int,
        first_moments: int,
    ) -> tuple[list[Tensor], list[Moments], Tensor]:
        entity = torch.cat([head_index, tail_index, other])
        sizes = [head_index.numel(), tail_index.numel(), other.numel()]
        dense = self.prior.reduction == "dense"
        share = self.node_emb.weight.new_empty(0)
        if self.kl_weight > 0 and not dense:
            share = self._shares(head_index, tail_index)
        layout = Layout(sizes, num_drawn, first_moments)
        drawn, moments, kl = self._draw(entity, share, layout)
        if self.kl_weight > 0 and dense:
            kl = self.kl_term(head_index, tail_index)
        return drawn, moments, kl

    def draw_all(self) -> tuple[Tensor | Moments, Tensor]:
        r"""Draws every entity once, or returns the moments of all entities if
        they are integrated; and the sum of all divergences per training triple,
        their mean over entities if so set.
        """
        weight = self.node_emb.weight
        entity = torch.arange(self.num_nodes, device=weight.device)
        share = weight.new_empty(0)
        if self.kl_weight > 0:
            # Each triple has two slots.
            each = 2 / self.node_freq.sum()
            if self.prior.reduction == "dense":
                each = weight.new_full((), 1 / self.num_nodes)
            share = each.to(weight.dtype).expand(self.num_nodes)
        num_drawn = 0 if self.integrates else 1
        layout = Layout([self.num_nodes], num_drawn, num_drawn)
        drawn, moments, kl = self._draw(entity, share, layout)
        return (moments if self.integrates else drawn)[0], kl

    def _draw(
        self, entity: Tensor, share: Tensor, layout: Layout
    ) -> tuple[list[Tensor], list[Moments], Tensor]:
        r"""Draws entities or returns their moments, part by part, and sums the
        divergences of the first of them, each times its share.
        """
        if not self.variational:
            drawn = self.node_emb(entity)
            energy = self.prior.divergence(drawn[: share.numel()], None)
            return list(drawn.split(layout.sizes)), [], (share * energy).sum()
        noise, rows = None, layout.drawn_rows()
        if self.noise != "none":
            noise = self._normal((rows, self.node_emb.embedding_dim))
        *parts, kl = DrawAndDiverge.apply(
            self.node_emb.weight,
            self.node_log_var.weight,
            self.prior.log_variance,
            entity,
            noise,
            share,
            self.node_emb.sparse,
            layout,
        )
        drawn, rest = parts[: layout.num_drawn], parts[layout.num_drawn :]
        half = len(rest) // 2
        moments = map(Moments, rest[:half], rest[half:])
        return drawn, list(moments), kl

    def _normal(self, shape: tuple[int, ...]) -> Tensor:
        r"""Returns standard normal numbers from :attr:`generator`."""
        weight, source = self.node_emb.weight, self.generator
        device, dtype = weight.device, weight.dtype
        return torch.randn(shape, generator=source, device=device, dtype=dtype)

    def _shares(self, head_index: Tensor, tail_index: Tensor) -> Tensor:
        r"""Returns the weight of the divergence of each slot of a batch."""
        slots = torch.cat([head_index, tail_index])
        freq = self.node_freq.index_select(0, slots)
        return 1 / (freq * head_index.numel()).to(self.node_emb.weight.dtype)

    def side_scores(
        self, side: Side, rel_type: Tensor, drawn: Draws
    ) -> SideScores:
        r"""Scores the answers of one side of a batch of triples, and all other
        entities as candidates.

        Args:
            side (str): The side to answer, :obj:`"tail"` or :obj:`"head"`.
            rel_type (torch.Tensor): The relation type.
            drawn (Draws): The entities of the batch.
        """
        given, answer = drawn.head, drawn.tail
        if side == "head":
            given, answer = answer, given
        true = self.score_answer(side, given, rel_type, answer)
        other = self.score_candidates(side, given, rel_type, drawn.other)
        return SideScores(true, true, other)
