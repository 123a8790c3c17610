r"""The evidence lower bound, by which Gaussian entities are trained."""

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
    r"""The training of a :class:`~pyg_cagp.nn.kge.GaussianKGEModel`, which
    makes the attributes below: batches, draws from the posterior that is
    trained, and the loss.
    """

    prior: GaussianPrior
    kl_weight: float
    variational: bool
    objective: Objective
    node_log_var: Embedding
    generator: torch.Generator | None
    noise_table: NoiseTable | None
    node_freq: Tensor

    @torch.no_grad()
    def random_sample(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        r"""Replaces the heads of one half of the triples and the tails of the
        other at random, as PyG does, drawing from the model's own generator.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
        """
        drawn = torch.randint(
            self.num_nodes,
            head_index.shape,
            generator=self.generator,
            device=head_index.device,
        )
        place = torch.arange(head_index.numel(), device=head_index.device)
        in_head = place.view_as(head_index) < head_index.numel() // 2
        return (
            torch.where(in_head, drawn, head_index),
            rel_type,
            torch.where(in_head, tail_index, drawn),
        )

    def observe(self, head_index: Tensor, tail_index: Tensor) -> None:
        r"""Tells the model which entities its training triples hold.

        The weight of an entity's prior in a mini-batch depends on how often the
        entity occurs in all of them. :meth:`loader` does this by itself.

        Args:
            head_index (torch.Tensor): The head indices of all triples.
            tail_index (torch.Tensor): The tail indices of all triples.
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
        r"""Returns a mini-batch loader that samples a subset of triplets, and
        lets the model :meth:`observe` them.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
            **kwargs (optional): Additional arguments of
                :class:`torch.utils.data.DataLoader`, such as
                :obj:`batch_size`, :obj:`shuffle`, :obj:`drop_last`
                or :obj:`num_workers`.
        """
        self.observe(head_index, tail_index)
        return super().loader(head_index, rel_type, tail_index, **kwargs)

    def kl_divergence(self, entity: Tensor) -> Tensor:
        r"""Returns the divergence of each posterior from the prior; see
        :meth:`~pyg_cagp.nn.kge.GaussianPrior.divergence`.

        Args:
            entity (torch.Tensor): The entities, of any shape.
        """
        log_var = self.node_log_var(entity) if self.variational else None
        return self.prior.divergence(self.node_emb(entity), log_var)

    def kl_term(self, head_index: Tensor, tail_index: Tensor) -> Tensor:
        r"""Returns a batch's share of the prior term, per triple; see
        :class:`~pyg_cagp.nn.kge.GaussianPrior`. Where entities pay by
        occurrence, its mean over an epoch is :math:`\sum_i \textrm{KL}_i` over
        the number of triples, without bias.

        Args:
            head_index (torch.Tensor): The head indices of the batch.
            tail_index (torch.Tensor): The tail indices of the batch.
        """
        if self.prior.reduction == "dense":
            every = torch.arange(self.num_nodes, device=head_index.device)
            return self.kl_divergence(every).mean()
        share = self._shares(head_index, tail_index)
        slots = torch.cat([head_index, tail_index])
        return (share * self.kl_divergence(slots)).sum()

    def constrain(self) -> None:
        r"""Brings parameters back to where they may be, after a step of an
        optimiser. Most models allow any.
        """

    def loss(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the negative evidence lower bound per triple.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
        """
        nll, kl = self.loss_terms(head_index, rel_type, tail_index)
        return nll + self.kl_weight * kl

    def loss_terms(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> tuple[Tensor, Tensor]:
        r"""Returns the two terms of :meth:`loss`: the negative log-likelihood
        of a batch and its share of the prior term, which is zero if it has no
        weight.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
        """
        batch = head_index, rel_type, tail_index
        other = self.objective.negatives(self, *batch)
        drawn, kl = self.draw(head_index, tail_index, other)
        return self.objective(self, *batch, other, drawn), kl

    def draw(
        self, head_index: Tensor, tail_index: Tensor, other: Tensor
    ) -> tuple[Draws, Tensor]:
        r"""Draws a batch's entities from the posterior, each slot anew, and
        returns what the batch pays for the prior; see :meth:`kl_term`.

        Args:
            head_index (torch.Tensor): The head indices of the batch.
            tail_index (torch.Tensor): The tail indices of the batch.
            other (torch.Tensor): Further entities, which pay nothing.
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
            noise = self._noise(entity.numel())
            drawn, kl = DrawAndDiverge.apply(
                self.node_emb.weight,
                self.node_log_var.weight,
                self.prior.log_variance,
                entity,
                noise,
                share,
                self.node_emb.sparse,
            )
        if self.kl_weight > 0 and dense:
            kl = self.kl_term(head_index, tail_index)
        return Draws(*drawn.split(sizes)), kl

    def _noise(self, size: int) -> Tensor:
        weight = self.node_emb.weight
        shape = (size, weight.size(1))
        if self.noise_table is not None:
            return self.noise_table.read(shape, self.generator)
        return torch.randn(
            shape,
            generator=self.generator,
            device=weight.device,
            dtype=weight.dtype,
        )

    def _shares(self, head_index: Tensor, tail_index: Tensor) -> Tensor:
        r"""Which part of its divergence each slot of a batch pays."""
        slots = torch.cat([head_index, tail_index])
        freq = self.node_freq[slots]
        if bool((freq == 0).any()):
            raise InvalidInputError(
                f"entity {int(slots[freq == 0][0])} occurs in a batch but not "
                f"in what the model was told of; call 'observe' with all "
                f"training triples, or get batches from 'loader'"
            )
        return 1 / (freq * head_index.numel()).to(self.node_emb.weight.dtype)
