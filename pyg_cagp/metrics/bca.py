r"""Bias-corrected and accelerated bootstrap intervals."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from pyg_cagp.metrics.bootstrap import bootstrap_values, quantiles
from pyg_cagp.metrics.inputs import check_share
from pyg_cagp.metrics.resampling import Resampler
from pyg_cagp.metrics.weighted import WeightedStatistic


class Interval(NamedTuple):
    r"""An estimate and its confidence interval."""

    estimate: float
    low: float
    high: float


def bca_interval(
    statistic: WeightedStatistic,
    resampler: Resampler,
    *,
    num_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    progress: bool = False,
) -> Interval:
    r"""Returns the bias-corrected and accelerated interval of Efron, "Better
    Bootstrap Confidence Intervals" (1987).

    Its ends are the quantiles of the resamples at

    .. math::
        \Phi \left( z_0 + \frac{z_0 + z}{1 - a (z_0 + z)} \right)

    with :math:`z_0` the normal quantile of the share of resamples below the
    estimate and :math:`a` a sixth of the skewness of its jackknife values.

    Args:
        statistic (WeightedStatistic): The statistic.
        resampler (Resampler): The resampler.
        num_resamples (int, optional): The number of resamples.
            (default: :obj:`10000`)
        level (float, optional): The level. (default: :obj:`0.95`)
        seed (int, optional): The seed. (default: :obj:`0`)
        progress (bool, optional): Shows a progress bar. (default: :obj:`False`)

    Example:
        >>> from pyg_cagp.metrics import WeightedMean
        >>> mean = WeightedMean(torch.arange(10))
        >>> low, high = bca_interval(mean, Resampler(10), seed=1)[1:]
        >>> low < 4.5 < high
        True
    """
    check_share("level", level)
    options = {"num_resamples": num_resamples, "seed": seed}
    values = bootstrap_values(
        [statistic], resampler, **options, progress=progress
    )
    drawn = values[~values.isnan()]
    estimate = statistic.value()
    if drawn.numel() == 0:
        raise ValueError("the statistic has no value in any resample")
    # Ties with the estimate count half.
    below = (drawn < estimate).double() + (drawn <= estimate).double()
    share = float(below.mean()) / 2
    if not 0 < share < 1 or bool((drawn == drawn[0]).all()):
        # If all resamples are on one side, z_0 is infinite: no correction.
        low, high = quantiles(drawn, (1 - level) / 2, (1 + level) / 2)
        return Interval(estimate, low, high)
    z0 = normal_quantile(share)
    a = _acceleration(statistic, resampler)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = z0 + normal_quantile(tail)
        ends.append(math.erfc(-(z0 + z / (1 - a * z)) / math.sqrt(2)) / 2)
    low, high = quantiles(drawn, *ends)
    return Interval(estimate, low, high)


def _acceleration(statistic: WeightedStatistic, resampler: Resampler) -> float:
    values = None if resampler.clusters else statistic.leave_one_out()
    if values is not None:
        strata = [values[part].view(-1) for part in resampler.strata()]
    else:
        parts: dict[int, list[Tensor]] = {}
        for stratum, weight in resampler.leave_one_out(device=statistic.device):
            parts.setdefault(stratum, []).append(statistic(weight))
        strata = [torch.cat(part) for part in parts.values()]
    second = third = 0.0
    for jackknife in strata:
        jackknife = jackknife[~jackknife.isnan()]
        units = jackknife.numel()
        if units < 2:
            # A stratum of one unit has no jackknife values.
            continue
        change = (units - 1) * (jackknife.mean() - jackknife)
        second += float(change.square().sum()) / units**2
        third += float(change.pow(3).sum()) / units**3
    return third / (6 * second**1.5) if second > 0 else 0.0


def normal_quantile(share: float) -> float:
    r"""Returns a quantile of the standard normal distribution."""
    return float(torch.special.ndtri(torch.tensor(share, dtype=torch.double)))
