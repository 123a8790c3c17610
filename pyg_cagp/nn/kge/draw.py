r"""Draws from posteriors, with divergences from the prior, in one pass."""

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Draws(NamedTuple):
    r"""Embeddings from one draw of the posterior: heads and tails of a batch,
    of shape :obj:`[B, channels]`, and other entities, of shape
    :obj:`[K, channels]`.
    """

    head: Tensor
    tail: Tensor
    other: Tensor


class DrawAndDiverge(Function):
    r"""Draws from the Gaussians of entities, and sums the divergences of the
    first of them from the prior, with gradients in closed form.

    Plain autograd allocates a gradient of the size of the embedding matrix for
    each lookup. This function allocates one in total.
    """

    @staticmethod
    def forward(
        ctx: Any,
        mean_weight: Tensor,
        log_var_weight: Tensor,
        log_prior: Tensor,
        entity: Tensor,
        noise: Tensor,
        share: Tensor,
        sparse: bool,
    ) -> tuple[Tensor, Tensor]:
        r"""Returns the draws, of shape :obj:`[n, channels]`, and the sum over
        the first entities of :obj:`share`, of shape :obj:`[m]`, times their
        divergence.
        """
        size = share.numel()
        mean = F.embedding(entity, mean_weight)
        half_log = F.embedding(entity, log_var_weight).mul_(0.5)
        # The number of dimensions that share a variance: one, or all.
        shared = mean.size(-1) // half_log.size(-1)
        volume = shared * half_log[:size].sum(dim=-1)
        scale = half_log.exp_()
        drawn = (noise * scale).add_(mean)
        # A norm reads memory once; a square and a sum make three passes.
        energy = torch.linalg.vector_norm(scale[:size], dim=-1).square_()
        energy *= shared
        energy += torch.linalg.vector_norm(mean[:size], dim=-1).square_()
        energy /= 2 * log_prior.exp()
        rest = 0.5 * mean.size(-1) * (log_prior - 1)
        kl = (share * (energy - volume + rest)).sum()
        ctx.save_for_backward(entity, noise, scale, mean, share, energy)
        ctx.log_prior = log_prior.detach()
        ctx.num_nodes, ctx.sparse = mean_weight.size(0), sparse
        return drawn, kl

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, by_drawn: Tensor, by_kl: Tensor
    ) -> tuple[Tensor | None, ...]:
        r"""Returns the gradients by means, by logarithms of variances, and by
        that of the prior.
        """
        entity, noise, scale, mean, share, energy = ctx.saved_tensors
        size, prior = share.numel(), ctx.log_prior.exp()
        by_divergence = (share * by_kl)[:, None]
        by_mean = by_drawn.clone()
        by_mean[:size] += mean[:size] * (by_divergence / prior)
        shared = mean.size(-1) // scale.size(-1)
        by_log_var = by_drawn * noise
        if shared > 1:
            by_log_var = by_log_var.sum(dim=-1, keepdim=True)
        by_log_var[:size] += scale[:size] * (by_divergence * shared / prior)
        by_log_var *= scale
        by_log_var[:size] -= by_divergence * shared
        by_log_var *= 0.5
        by_prior = None
        if ctx.needs_input_grad[2]:
            half_dim = 0.5 * mean.size(-1)
            by_prior = (by_divergence[:, 0] * (half_dim - energy)).sum()
        by_weights = [
            _scatter(rows, entity, ctx.num_nodes, ctx.sparse)
            for rows in (by_mean, by_log_var)
        ]
        return *by_weights, by_prior, None, None, None, None


def _scatter(rows: Tensor, entity: Tensor, size: int, sparse: bool) -> Tensor:
    shape = (size, rows.size(1))
    if sparse:
        return torch.sparse_coo_tensor(
            entity[None], rows, shape, check_invariants=False
        )
    return rows.new_zeros(shape).index_add_(0, entity, rows)
