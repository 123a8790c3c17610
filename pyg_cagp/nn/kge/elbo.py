r"""The evidence lower bound, the training objective of Gaussian models."""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.draw import Moments
from pyg_cagp.nn.kge.kvsall import KvsAll, QueryBatch
from pyg_cagp.nn.kge.noise import NoisyKGEModel
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.nn.posterior.posterior import count_slots


class LossTerms(NamedTuple):
    r"""The terms of a loss per triple, before they are weighted."""

    nll: Tensor
    kl: Tensor
    n3: Tensor


class EvidenceBound(NoisyKGEModel):
    r"""The training of a :class:`~pyg_cagp.nn.kge.GaussianKGEModel`: batches
    and the loss. The model sets the attributes below.
    """

    n3: float

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
        drawn, kl = self.objective.draw(self, *batch, other)
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

    def query_logits(
        self, batch: QueryBatch, nodes: Tensor | Moments
    ) -> tuple[Tensor, Tensor | None]:
        r"""Scores all entities as answers of queries. Returns logits of shape
        :obj:`[B, num_nodes]`, and the sum over answers of what a bound adds to
        them, if any.

        Args:
            batch (QueryBatch): The queries.
            nodes (torch.Tensor or Moments): One draw or the moments of each
                entity.
        """
        assert isinstance(nodes, Tensor)
        query = batch.side, nodes[batch.given], batch.rel_type
        return self.score_candidates(*query, nodes), None

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
