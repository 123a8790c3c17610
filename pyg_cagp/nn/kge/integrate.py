r"""Scores of Gaussian candidates that are linear in the candidate.

Given a query :math:`\mathbf{q}`, the score of a candidate is Gaussian with mean
:math:`\mathbf{q}^{\top} \boldsymbol{\mu}` and variance :math:`(\mathbf{q}^2
)^{\top} \mathbf{s}`. One normal number a score replaces one a coordinate, as in
the `"Variational Dropout and the Local Reparameterization Trick"
<https://arxiv.org/abs/1506.02557>`_ paper.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from pyg_cagp.nn.kge.draw import Moments

#: The least variance of a score. The slope of a square root at 0 is infinite.
LEAST = 1e-30


def pair_moments(query: Tensor, candidate: Moments) -> Moments:
    r"""Returns the moments of the score of one candidate for each query, both
    of shape :obj:`[B]`.
    """
    return Moments(*_PairMoments.apply(query, *candidate))


def noisy(score: Moments, noise: Tensor) -> Tensor:
    r"""Draws scores from their moments, which are overwritten, as is
    :obj:`noise`.
    """
    return _AddNoise.apply(
        score.mean.to(noise.dtype), score.variance.to(noise.dtype), noise
    )


def noisy_products(query: Tensor, nodes: Moments, noise: Tensor) -> Tensor:
    r"""Draws the score of each candidate for each query.

    Args:
        query (torch.Tensor): The queries, of shape :obj:`[B, channels]`.
        nodes (Moments): The candidates.
        noise (torch.Tensor): Standard normal numbers, of shape :obj:`[B, N]`,
            which are overwritten.
    """
    mean = query @ nodes.mean.t()
    if nodes.variance.size(-1) > 1:
        variance = query.square() @ nodes.variance.t()
        return noisy(Moments(mean, variance), noise)
    length = torch.linalg.vector_norm(query, dim=-1, keepdim=True)
    std = nodes.variance.sqrt().t()
    return _AddScaledNoise.apply(mean.to(noise.dtype), length, std, noise)


def raised_products(query: Tensor, nodes: Moments) -> Tensor:
    r"""Returns the mean plus half the variance of the score of each candidate
    for each query, the logarithm of the mean of its exponential.
    """
    half = 0.5 * query.square()
    if nodes.variance.size(-1) == 1:
        half = half.sum(dim=-1, keepdim=True)
    # One product of longer rows is faster than a sum of two products.
    return torch.cat([query, half], dim=-1) @ torch.cat(nodes, dim=-1).t()


class _PairMoments(Function):
    r"""The moments of scores, in fewer passes than plain autograd makes."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, mean: Tensor, variance: Tensor
    ) -> tuple[Tensor, Tensor]:
        r"""Returns means and variances of scores."""
        weighted = query * variance
        ctx.save_for_backward(query, mean, weighted)
        ctx.is_shared = variance.size(-1) == 1
        return (query * mean).sum(dim=-1), (query * weighted).sum(dim=-1)

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, by_mean: Tensor, by_variance: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        r"""Returns the gradients by queries and by moments of candidates."""
        query, mean, weighted = ctx.saved_tensors
        by_mean, by_variance = by_mean[:, None], by_variance[:, None]
        by_query = by_mean * mean
        by_query.addcmul_(weighted, by_variance, value=2)
        by_weights = (by_variance * query).mul_(query)
        if ctx.is_shared:
            by_weights = by_weights.sum(dim=-1, keepdim=True)
        return by_query, by_mean * query, by_weights


class _AddNoise(Function):
    r"""The mean plus noise times the root of the variance."""

    @staticmethod
    def forward(
        ctx: Any, mean: Tensor, variance: Tensor, noise: Tensor
    ) -> Tensor:
        r"""Returns scores, in the memory of :obj:`mean`."""
        std = variance.clamp_(min=LEAST).sqrt_()
        score = mean.addcmul_(std, noise)
        ctx.mark_dirty(mean)
        ctx.save_for_backward(noise.div_(std).mul_(0.5))
        return score

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by_score: Tensor) -> tuple[Tensor | None, ...]:
        r"""Returns the gradients by means and variances."""
        (slope,) = ctx.saved_tensors
        return by_score, by_score * slope, None


class _AddScaledNoise(Function):
    r"""The mean plus noise times a factor of each row and of each column."""

    @staticmethod
    def forward(
        ctx: Any, mean: Tensor, length: Tensor, std: Tensor, noise: Tensor
    ) -> Tensor:
        r"""Returns scores, in the memory of :obj:`mean`."""
        noise *= std
        score = mean.addcmul_(noise, length)
        ctx.mark_dirty(mean)
        ctx.save_for_backward(length, std, noise)
        return score

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by_score: Tensor) -> tuple[Tensor | None, ...]:
        r"""Returns the gradients by means and by both factors."""
        length, std, noise = ctx.saved_tensors
        product = by_score * noise
        by_std = (length.t() @ product) / std
        return by_score, product.sum(dim=1, keepdim=True), by_std, None
