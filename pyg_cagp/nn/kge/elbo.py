r"""The evidence lower bound, the training objective of Gaussian models."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import Embedding

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.draw import DrawAndDiverge, Draws
from pyg_cagp.nn.kge.noise import NoiseTable
from pyg_cagp.nn.kge.objective import Objective
from pyg_cagp.nn.kge.prior import GaussianPrior
from pyg_cagp.nn.kge.query import QueryKGEModel
from pyg_cagp.nn.posterior.posterior import count_slots


class EvidenceBound(QueryKGEModel):
    r"""The training of a :class:`~pyg_cagp.nn.kge.GaussianKGEModel`: batches,
    draws from the posterior, and the loss. The model sets the attributes below.
    """

    prior: GaussianPrior
    kl_weight: float
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
        r"""Returns the negative evidence lower bound per triple."""
        nll, kl = self.loss_terms(head_index, rel_type, tail_index)
        return nll + self.kl_weight * kl

    def loss_terms(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> tuple[Tensor, Tensor]:
        r"""Returns the two terms of :meth:`loss`: the negative log-likelihood
        of a batch, and its :meth:`kl_term`, or 0 if its weight is 0.
        """
        batch = head_index, rel_type, tail_index
        other = self.objective.negatives(self, *batch)
        drawn, kl = self.draw(head_index, tail_index, other)
        return self.objective(self, *batch, other, drawn), kl

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
        if not self.variational:
            drawn = self.node_emb(entity)
            energy = self.prior.divergence(drawn[: share.numel()], None)
            kl = (share * energy).sum()
        else:
            drawn, kl = DrawAndDiverge.apply(
                self.node_emb.weight,
                self.node_log_var.weight,
                self.prior.log_variance,
                entity,
                self._noise(entity.numel()),
                share,
                self.node_emb.sparse,
            )
        if self.kl_weight > 0 and dense:
            kl = self.kl_term(head_index, tail_index)
        return Draws(*drawn.split(sizes)), kl

    def _noise(self, size: int) -> Tensor:
        weight = self.node_emb.weight
        shape, source = (size, weight.size(1)), self.generator
        if self.noise_table is not None:
            return self.noise_table.read(shape, source)
        device, dtype = weight.device, weight.dtype
        return torch.randn(shape, generator=source, device=device, dtype=dtype)

    def _shares(self, head_index: Tensor, tail_index: Tensor) -> Tensor:
        r"""Returns the weight of the divergence of each slot of a batch."""
        slots = torch.cat([head_index, tail_index])
        freq = self.node_freq[slots]
        if bool((freq == 0).any()):
            raise InvalidInputError(
                f"entity {int(slots[freq == 0][0])} of a batch was never "
                f"observed; call 'observe' with all training triples, or use "
                f"'loader'"
            )
        return 1 / (freq * head_index.numel()).to(self.node_emb.weight.dtype)
