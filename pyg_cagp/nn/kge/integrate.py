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

#: The least deviation of a score. The slope of a root at 0 is infinite.
LEAST = 1e-15


def noisy_pairs(query: Tensor, candidate: Moments, noise: Tensor) -> Tensor:
    r"""Draws the score of one candidate for each query, of shape :obj:`[B]`.

    Args:
        query (torch.Tensor): The queries, of shape :obj:`[B, channels]`.
        candidate (Moments): The candidates.
        noise (torch.Tensor): Standard normal numbers, of shape :obj:`[B]`.
    """
    return _NoisyPairs.apply(query, *candidate, noise)


def raised_pairs(query: Tensor, candidate: Moments) -> tuple[Tensor, Tensor]:
    r"""Returns the mean of the score of one candidate for each query, and half
    its variance.
    """
    variance = (query * candidate.std).square().sum(dim=-1)
    return (query * candidate.mean).sum(dim=-1), 0.5 * variance


def noisy_products(query: Tensor, nodes: Moments, noise: Tensor) -> Tensor:
    r"""Draws the score of each candidate for each query.

    Args:
        query (torch.Tensor): The queries, of shape :obj:`[B, channels]`.
        nodes (Moments): The candidates.
        noise (torch.Tensor): Standard normal numbers, of shape :obj:`[B, N]`,
            which are overwritten.
    """
    mean = query @ nodes.mean.t()
    mean = mean.to(noise.dtype)
    if nodes.std.size(-1) > 1:
        variance = query.square() @ nodes.std.square().t()
        return _AddNoise.apply(mean, variance.to(noise.dtype), noise)
    length = torch.linalg.vector_norm(query, dim=-1, keepdim=True)
    return _AddScaledNoise.apply(mean, length, nodes.std.t(), noise)


def raised_products(query: Tensor, nodes: Moments) -> Tensor:
    r"""Returns the mean plus half the variance of the score of each candidate
    for each query, the logarithm of the mean of its exponential.
    """
    half = 0.5 * query.square()
    if nodes.std.size(-1) == 1:
        half = half.sum(dim=-1, keepdim=True)
    # One product of longer rows is faster than a sum of two products.
    columns = torch.cat([nodes.mean, nodes.std.square()], dim=-1)
    return torch.cat([query, half], dim=-1) @ columns.t()


class _NoisyPairs(Function):
    r"""Scores of pairs, in fewer passes than plain autograd makes."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, mean: Tensor, std: Tensor, noise: Tensor
    ) -> Tensor:
        r"""Returns scores."""
        scaled = query * std
        length = torch.linalg.vector_norm(scaled, dim=-1).clamp_(min=LEAST)
        ctx.save_for_backward(query, mean, std, scaled, noise / length)
        return (query * mean).sum(dim=-1).addcmul_(length, noise)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by_score: Tensor) -> tuple[Tensor | None, ...]:
        r"""Returns the gradients by queries and by moments of candidates."""
        query, mean, std, scaled, ratio = ctx.saved_tensors
        by_scaled = scaled * (by_score * ratio)[:, None]
        by_query = by_score[:, None] * mean
        by_query.addcmul_(by_scaled, std)
        by_std = by_scaled.mul_(query)
        if std.size(-1) == 1:
            by_std = by_std.sum(dim=-1, keepdim=True)
        return by_query, by_score[:, None] * query, by_std, None


class _AddNoise(Function):
    r"""The mean plus noise times the root of the variance."""

    @staticmethod
    def forward(
        ctx: Any, mean: Tensor, variance: Tensor, noise: Tensor
    ) -> Tensor:
        r"""Returns scores, in the memory of :obj:`mean`."""
        std = variance.sqrt_().clamp_(min=LEAST)
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
