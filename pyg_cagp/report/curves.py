r"""Curves with bootstrap bands, and intervals of shares."""

from typing import NamedTuple

import torch
from torch import Tensor

from pyg_cagp.metrics import Resampler
from pyg_cagp.metrics.weighted import run_ends

#: The number of bootstrap resamples.
NUM_RESAMPLES = 200

#: The share of resamples within a band.
LEVEL = 0.95


class Band(NamedTuple):
    r"""A curve on a grid, and the ends of its bootstrap intervals."""

    x: Tensor
    y: Tensor
    low: Tensor
    high: Tensor

    def to_dict(self) -> dict[str, list[float]]:
        r"""Returns the values as lists of rounded numbers."""
        return {
            name: [round(value, 5) for value in values.tolist()]
            for name, values in self._asdict().items()
        }


def roc_band(score: Tensor, label: Tensor, seed: int = 0) -> Band:
    r"""Returns the ROC curve. Tied scores are one straight line, so the area
    below the curve is the AUROC.
    """
    order = score.argsort(descending=True, stable=True)
    ends = run_ends(score[order])
    positive = (label[order] == 1).double()

    def curve(weight: Tensor, grid: Tensor) -> Tensor:
        weight = weight[:, order].double()
        true_positive = _shares(weight * positive, ends)
        false_positive = _shares(weight * (1 - positive), ends)
        return _interpolate(false_positive, true_positive, grid)

    resampler = Resampler(score.numel(), strata=label.long())
    grid = torch.linspace(0, 1, 101, dtype=torch.double)
    return _band(curve, resampler, grid, seed)


def risk_band(uncertainty: Tensor, error: Tensor, seed: int = 0) -> Band:
    r"""Returns the share of errors among the most certain answers, for each
    share of answers.
    """
    order = uncertainty.argsort(stable=True)
    ends = run_ends(uncertainty[order])
    wrong = error[order].double()

    def curve(weight: Tensor, grid: Tensor) -> Tensor:
        weight = weight[:, order].double()
        rate = _shares(weight, ends)
        total = weight.sum(dim=1, keepdim=True)
        errors = _sums(weight * wrong, ends) / total
        return _interpolate(rate, errors, grid) / grid

    grid = torch.linspace(0.01, 1, 100, dtype=torch.double)
    return _band(curve, Resampler(uncertainty.numel()), grid, seed)


def best_risk(error: Tensor) -> Tensor:
    r"""Returns the lowest possible risk on the grid of :func:`risk_band`: all
    right answers come first.
    """
    grid = torch.linspace(0.01, 1, 100, dtype=torch.double)
    accuracy = 1 - float(error.double().mean())
    return (1 - accuracy / grid).clamp(min=0)


def interval(share: float, size: int) -> tuple[float, float]:
    r"""Returns Wilson's 95% interval of a share.

    Example:
        >>> low, high = interval(0.5, 100)
        >>> round(low, 4), round(high, 4)
        (0.4038, 0.5962)
    """
    from scipy.stats import binomtest

    result = binomtest(round(share * size), size)
    ends = result.proportion_ci(LEVEL, method="wilson")
    return float(ends.low), float(ends.high)


def _band(curve, resampler: Resampler, grid: Tensor, seed: int) -> Band:  # type: ignore[no-untyped-def]
    ones = torch.ones(1, resampler.num_samples)
    weights = resampler.draw(NUM_RESAMPLES, seed)
    drawn = torch.cat([curve(weight, grid) for weight in weights])
    ends = torch.tensor([(1 - LEVEL) / 2, (1 + LEVEL) / 2], dtype=torch.double)
    low, high = drawn.quantile(ends, dim=0)
    return Band(grid, curve(ones, grid)[0], low, high)


def _sums(values: Tensor, ends: Tensor) -> Tensor:
    total = values.cumsum(dim=1)[:, ends]
    return torch.nn.functional.pad(total, (1, 0))


def _shares(values: Tensor, ends: Tensor) -> Tensor:
    total = _sums(values, ends)
    return total / total[:, -1:]


def _interpolate(x: Tensor, y: Tensor, grid: Tensor) -> Tensor:
    r"""Returns the value of each curve, a row of :obj:`x` and :obj:`y`, on a
    grid. Where a curve is vertical, its upper end counts.
    """
    at = grid.expand(x.size(0), -1).contiguous()
    # Sums of shares may miss 1 by a rounding error.
    left = torch.searchsorted(x.contiguous(), at + 1e-12, right=True) - 1
    right = (left + 1).clamp(max=x.size(1) - 1)
    x0, x1 = x.gather(1, left), x.gather(1, right)
    y0, y1 = y.gather(1, left), y.gather(1, right)
    part = ((at - x0) / (x1 - x0).clamp(min=1e-12)).clamp(0, 1)
    return torch.where(x1 > x0, y0 + part * (y1 - y0), y0)
