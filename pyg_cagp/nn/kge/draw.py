r"""Draws from posteriors, with divergences from the prior, in one pass."""

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Moments(NamedTuple):
    r"""The means of embeddings, of shape :obj:`[..., channels]`, and their
    standard deviations, of the same shape or of shape :obj:`[..., 1]`.
    """

    mean: Tensor
    std: Tensor


class Draws(NamedTuple):
    r"""The entities of a batch as they enter a loss.

    Args:
        head (torch.Tensor): Drawn heads, of shape :obj:`[B, channels]`.
        tail (torch.Tensor): Drawn tails, of shape :obj:`[B, channels]`.
        other (torch.Tensor): Drawn other entities, of shape
            :obj:`[K, channels]`.
        moments (tuple, optional): The :class:`Moments` of heads, tails and
            other entities. If given, only the entities of queries are drawn,
            and candidates enter by their moments. (default: :obj:`None`)
        turned (torch.Tensor, optional): Marks triples whose only query is
            :math:`(?, r, t)`. Their tail stands in :obj:`head` and their head
            in :obj:`tail`. (default: :obj:`None`)
    """

    head: Tensor
    tail: Tensor
    other: Tensor
    moments: tuple[Moments, Moments, Moments] | None = None
    turned: Tensor | None = None


class SideScores(NamedTuple):
    r"""The scores of one side of a batch of triples.

    Args:
        true (torch.Tensor): The scores of answers, of shape :obj:`[B]`.
        answer (torch.Tensor): The logits of answers among all candidates; not
            :obj:`true` in a bound, which raises logits.
        other (torch.Tensor): The logits of other candidates, of shape
            :obj:`[B, K]`.
    """

    true: Tensor
    answer: Tensor
    other: Tensor


class Layout(NamedTuple):
    r"""The parts of a list of entities, in order. The first :obj:`num_drawn`
    parts are drawn. The moments of all parts from :obj:`first_moments` on are
    returned. A part that is both is among the first, and then all parts have
    moments.
    """

    sizes: list[int]
    num_drawn: int
    first_moments: int

    def drawn_rows(self) -> int:
        r"""Returns the number of entities that are drawn."""
        return sum(self.sizes[: self.num_drawn])


class DrawAndDiverge(Function):
    r"""Draws from the Gaussians of entities, or returns their moments, and sums
    the divergences of the first of them from the prior, with gradients in
    closed form.

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
        noise: Tensor | None,
        share: Tensor,
        sparse: bool,
        layout: Layout,
    ) -> tuple[Tensor, ...]:
        r"""Returns the draws of each part, the means and the deviations of each
        part with moments, and the sum over the first entities of :obj:`share`,
        of shape :obj:`[m]`, times their divergence. Without :obj:`noise`, draws
        are means.
        """
        size = share.numel()
        mean = F.embedding(entity, mean_weight)
        half_log = F.embedding(entity, log_var_weight).mul_(0.5)
        # The number of dimensions that share a variance: one, or all.
        shared = mean.size(-1) // half_log.size(-1)
        volume = shared * half_log[:size].sum(dim=-1)
        scale = half_log.exp_()
        # A norm reads memory once; a square and a sum make three passes.
        energy = torch.linalg.vector_norm(scale[:size], dim=-1).square_()
        energy *= shared
        energy += torch.linalg.vector_norm(mean[:size], dim=-1).square_()
        energy /= 2 * log_prior.exp()
        rest = 0.5 * mean.size(-1) * (log_prior - 1)
        kl = (share * (energy - volume + rest)).sum()
        outputs = _outputs(mean, scale, noise, layout)
        # Half of the noise is half of a slope, exactly.
        half = None if noise is None else noise.mul_(0.5)
        ctx.save_for_backward(entity, half, scale, mean, share, energy)
        ctx.log_prior, ctx.layout = log_prior.detach(), layout
        ctx.num_nodes, ctx.sparse = mean_weight.size(0), sparse
        return *outputs, kl

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        r"""Returns the gradients by means, by logarithms of variances, and by
        that of the prior.
        """
        entity, half, scale, mean, share, energy = ctx.saved_tensors
        by_mean, by_log_var = _join(grads[:-1], half, scale, ctx.layout)
        size, prior = share.numel(), ctx.log_prior.exp()
        by_divergence = (share * grads[-1])[:, None]
        by_mean[:size] += mean[:size] * (by_divergence / prior)
        shared = mean.size(-1) // scale.size(-1)
        half_divergence = 0.5 * by_divergence * shared
        by_log_var[:size] += scale[:size] * (half_divergence / prior)
        by_log_var *= scale
        by_log_var[:size] -= half_divergence
        by_prior = None
        if ctx.needs_input_grad[2]:
            half_dim = 0.5 * mean.size(-1)
            by_prior = (by_divergence[:, 0] * (half_dim - energy)).sum()
        by_weights = [
            _scatter(rows, entity, ctx.num_nodes, ctx.sparse)
            for rows in (by_mean, by_log_var)
        ]
        return *by_weights, by_prior, None, None, None, None, None


def _outputs(
    mean: Tensor, scale: Tensor, noise: Tensor | None, layout: Layout
) -> list[Tensor]:
    r"""Returns draws, means and deviations, part by part."""
    sizes, num, first = layout
    rows = layout.drawn_rows()
    drawn = mean[:rows]
    if noise is not None:
        drawn = (noise * scale[:rows]).add_(drawn)
    parts = list(drawn.split(sizes[:num])) if num else []
    if first < len(sizes):
        skipped = sum(sizes[:first])
        for rows_of in (mean[skipped:], scale[skipped:]):
            parts += rows_of.split(sizes[first:])
    return parts


def _join(
    grads: tuple[Tensor, ...],
    half: Tensor | None,
    scale: Tensor,
    layout: Layout,
) -> tuple[Tensor, Tensor]:
    r"""Returns the gradients of :meth:`_outputs` by means, and half of those by
    deviations.
    """
    sizes, num, first = layout
    num_moments, rows = len(sizes) - first, layout.drawn_rows()
    by_drawn, by_mean = grads[:num], grads[num : num + num_moments]
    if first == num:
        total = torch.cat([*by_drawn, *by_mean])
        joined = total[:rows]
    else:
        total, joined = torch.cat(by_mean), torch.cat(by_drawn)
        total[:rows] += joined
    slope = torch.zeros_like(scale[:rows])
    if half is not None:
        slope = joined * half
        if slope.size(-1) > scale.size(-1):
            slope = slope.sum(dim=-1, keepdim=True)
    by_std = list(grads[num + num_moments :])
    if first == num:
        # The slopes of moments are halved after they are copied.
        by_scale = torch.cat([slope, *by_std]) if by_std else slope
        by_scale[rows:] *= 0.5
    else:
        by_scale = torch.cat(by_std).mul_(0.5)
        by_scale[:rows] += slope
    return total, by_scale


def _scatter(rows: Tensor, entity: Tensor, size: int, sparse: bool) -> Tensor:
    shape = (size, rows.size(1))
    if sparse:
        return torch.sparse_coo_tensor(
            entity[None], rows, shape, check_invariants=False
        )
    return rows.new_zeros(shape).index_add_(0, entity, rows)
