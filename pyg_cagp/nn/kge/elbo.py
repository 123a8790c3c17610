r"""The evidence lower bound, the training objective of Gaussian models."""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import Embedding

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.draw import DrawAndDiverge, Draws
from pyg_cagp.nn.kge.kvsall import KvsAll, QueryBatch
from pyg_cagp.nn.kge.noise import NoiseTable
from pyg_cagp.nn.kge.objective import Objective
from pyg_cagp.nn.kge.prior import GaussianPrior
from pyg_cagp.nn.kge.query import SIDES, QueryKGEModel
from pyg_cagp.nn.posterior.posterior import count_slots


class LossTerms(NamedTuple):
    r"""The terms of a loss per triple, before they are weighted."""

    nll: Tensor
    kl: Tensor
    n3: Tensor


class EvidenceBound(QueryKGEModel):
    r"""The training of a :class:`~pyg_cagp.nn.kge.GaussianKGEModel`: batches,
    draws from the posterior, and the loss. The model sets the attributes below.
    """

    prior: GaussianPrior
    kl_weight: float
    n3: float
    variational: bool
    objective: Objective
    node_log_var: Embedding
    noise_table: NoiseTable | None
    node_freq: Tensor

    @torch.no_grad()
    def random_sample(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        r"""Replaces the heads of one half of the triples, and the tails of the
        other half, by random entities, as PyG does.
        """
        drawn = self.draw_nodes(head_index.shape, head_index.device)
        place = torch.arange(head_index.numel(), device=head_index.device)
        in_head = place.view_as(head_index) < head_index.numel() // 2
        return (
            torch.where(in_head, drawn, head_index),
            rel_type,
            torch.where(in_head, tail_index, drawn),
        )

    def observe(self, head_index: Tensor, tail_index: Tensor) -> None:
        r"""Counts the training slots of each entity. The counts determine the
        weight of the prior term in a mini-batch. :meth:`loader` calls it.
        """
        freq = count_slots(head_index, tail_index, self.num_nodes)
        self.node_freq.copy_(freq)

    def loader(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        **kwargs: Any,
    ) -> Any:
        r"""Returns a loader of mini-batches of training triples, with the
        options of :class:`torch.utils.data.DataLoader`.
        """
        self.observe(head_index, tail_index)
        return super().loader(head_index, rel_type, tail_index, **kwargs)

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

    def constrain(self) -> None:
        r"""Projects parameters after a step of an optimiser, by default without
        a change.
        """

    def loss(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the negative evidence lower bound per triple, and the
        penalty of :obj:`n3`.
        """
        slots = torch.cat([head_index, tail_index])
        unobserved = self.node_freq[slots] == 0
        if self.kl_weight > 0 and bool(unobserved.any()):
            raise InvalidInputError(
                f"entity {int(slots[unobserved][0])} of a batch was never "
                f"observed; call 'observe' with all training triples, or use "
                f"'loader'"
            )
        return self.total(self.loss_terms(head_index, rel_type, tail_index))

    def total(self, terms: LossTerms) -> Tensor:
        r"""Returns the weighted sum of the terms of a loss."""
        loss = terms.nll + self.kl_weight * terms.kl
        return loss if self.n3 == 0 else loss + self.n3 * terms.n3

    def loss_terms(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> LossTerms:
        r"""Returns the terms of :meth:`loss` for a batch of triples."""
        batch = head_index, rel_type, tail_index
        other = self.objective.negatives(self, *batch)
        drawn, kl = self.draw(head_index, tail_index, other)
        nll = self.objective(self, *batch, other, drawn)
        return LossTerms(nll, kl, self.n3_term(*batch))

    def query_terms(self, batch: QueryBatch, scale: float) -> LossTerms:
        r"""Returns the terms of :meth:`loss` for a batch of distinct queries,
        so that their means over an epoch are those over all triples. All
        entities are candidates, so each batch is charged the divergences of
        all of them.

        Args:
            batch (QueryBatch): Queries of one side.
            scale (float): The number of batches over that of triples.
        """
        assert isinstance(self.objective, KvsAll)
        nodes, kl = self.draw_all()
        nll = self.objective.nll(self, batch, nodes)
        penalty = nll.new_zeros(())
        if self.n3 > 0:
            rel = self.query_rel(batch.side, batch.rel_type)[0]
            given, answer = (
                self.cubes(self.node_emb(entity))
                for entity in (batch.given, batch.answer)
            )
            penalty = (given + self.cubes(rel))[batch.row].sum() + answer.sum()
        return LossTerms(scale * nll, kl, scale * penalty)

    def n3_term(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the mean over triples and sides of the cubed moduli of the
        means of head and tail and of the relation, summed over both sides.
        """
        if self.n3 == 0:
            return self.node_emb.weight.new_zeros(())
        entity = torch.cat([head_index, tail_index])
        total = 2 * self.cubes(self.node_emb(entity)).sum()
        for side in SIDES:
            total = total + self.cubes(self.query_rel(side, rel_type)[0]).sum()
        return total / rel_type.numel()

    def cubes(self, embedding: Tensor) -> Tensor:
        r"""Returns the sum of the cubed moduli of each embedding."""
        return embedding.abs().pow(3).sum(dim=-1)

    def draw(
        self, head_index: Tensor, tail_index: Tensor, other: Tensor
    ) -> tuple[Draws, Tensor]:
        r"""Draws the entities of a batch from the posterior, independently for
        each slot. Returns the draws and the :meth:`kl_term` of heads and tails.
        """
        entity = torch.cat([head_index, tail_index, other])
        sizes = [head_index.numel(), tail_index.numel(), other.numel()]
        dense = self.prior.reduction == "dense"
        share = self.node_emb.weight.new_empty(0)
        if self.kl_weight > 0 and not dense:
            share = self._shares(head_index, tail_index)
        drawn, kl = self._draw(entity, share)
        if self.kl_weight > 0 and dense:
            kl = self.kl_term(head_index, tail_index)
        return Draws(*drawn.split(sizes)), kl

    def draw_all(self) -> tuple[Tensor, Tensor]:
        r"""Draws every entity once, and returns the sum of all divergences per
        training triple; their mean over entities if so set.
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
        return self._draw(entity, share)

    def _draw(self, entity: Tensor, share: Tensor) -> tuple[Tensor, Tensor]:
        r"""Draws entities, and sums the divergences of the first of them, each
        times its share.
        """
        if not self.variational:
            drawn = self.node_emb(entity)
            energy = self.prior.divergence(drawn[: share.numel()], None)
            return drawn, (share * energy).sum()
        drawn, kl = DrawAndDiverge.apply(
            self.node_emb.weight,
            self.node_log_var.weight,
            self.prior.log_variance,
            entity,
            self._noise(entity.numel()),
            share,
            self.node_emb.sparse,
        )
        return drawn, kl

    def _noise(self, size: int) -> Tensor:
        weight = self.node_emb.weight
        shape, source = (size, weight.size(1)), self.generator
        if self.noise_table is not None:
            return self.noise_table.read(shape, source)
        device, dtype = weight.device, weight.dtype
        return torch.randn(shape, generator=source, device=device, dtype=dtype)

    def _shares(self, head_index: Tensor, tail_index: Tensor) -> Tensor:
        r"""Returns the weight of the divergence of each slot of a batch."""
        freq = self.node_freq[torch.cat([head_index, tail_index])]
        return 1 / (freq * head_index.numel()).to(self.node_emb.weight.dtype)
