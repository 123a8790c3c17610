r"""Comparisons of two statistics by a paired bootstrap."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from tqdm import tqdm

from pyg_cagp.metrics.inputs import Values, as_bits, check_share
from pyg_cagp.metrics.resampling import Resampler
from pyg_cagp.metrics.weighted import WeightedAUROC, WeightedStatistic


class Comparison(NamedTuple):
    r"""Two statistics of the same samples, the interval of their difference
    and its two-sided p-value.
    """

    first: float
    second: float
    difference: float
    low: float
    high: float
    p_value: float


def bootstrap_values(
    statistics: list[WeightedStatistic],
    resampler: Resampler,
    *,
    num_resamples: int = 10_000,
    seed: int = 0,
    progress: bool = False,
) -> Tensor:
    r"""Computes several statistics of the same resamples.

    Args:
        statistics (list): The statistics, all of the same samples.
        resampler (Resampler): The resampler.
        num_resamples (int, optional): The number of resamples.
            (default: :obj:`10000`)
        seed (int, optional): The seed. (default: :obj:`0`)
        progress (bool, optional): Shows a progress bar. (default: :obj:`False`)

    Returns:
        A tensor of shape :obj:`[len(statistics), num_resamples]`.

    Example:
        >>> from pyg_cagp.metrics import WeightedMean
        >>> mean = WeightedMean([1.0, 2.0, 3.0])
        >>> bootstrap_values([mean], Resampler(3), num_resamples=100).shape
        torch.Size([1, 100])
    """
    sizes = {statistic.num_samples for statistic in statistics}
    if sizes != {resampler.num_samples}:
        raise ValueError(
            f"'statistics' must have the same number of samples as the "
            f"resampler (got {sorted(sizes)} and {resampler.num_samples})"
        )
    batches = []
    device = statistics[0].device
    with tqdm(total=num_resamples, disable=not progress) as bar:
        for weight in resampler.draw(num_resamples, seed, device=device):
            batches.append(torch.stack([s(weight) for s in statistics]).cpu())
            bar.update(weight.size(0))
    return torch.cat(batches, dim=1)


def compare(
    first: WeightedStatistic,
    second: WeightedStatistic,
    resampler: Resampler,
    *,
    num_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    progress: bool = False,
) -> Comparison:
    r"""Compares two statistics of the same samples by a paired bootstrap.

    Both are computed on the same resamples. With :math:`d` the difference and
    :math:`d_b` that of a resample, the two-sided p-value and its minimum are

    .. math::
        p = \frac{1 + |\{b : |d_b - d| \geq |d|\}|}{B + 1}
        \geq \frac{1}{B + 1}

    and the ends of the interval are quantiles of :math:`d_b`. Resamples with an
    undefined statistic, which clusters may give, are left out.

    Args:
        first (WeightedStatistic): The first statistic.
        second (WeightedStatistic): The second statistic.
        resampler (Resampler): The resampler.
        num_resamples (int, optional): The number :math:`B` of resamples.
            (default: :obj:`10000`)
        level (float, optional): The level of the interval.
            (default: :obj:`0.95`)
        seed (int, optional): The seed. (default: :obj:`0`)
        progress (bool, optional): Shows a progress bar. (default: :obj:`False`)

    Example:
        >>> from pyg_cagp.metrics import WeightedMean
        >>> a, b = WeightedMean([1.0, 2.0, 4.0]), WeightedMean([1.0, 2.0, 3.0])
        >>> result = compare(a, b, Resampler(3), num_resamples=99)
        >>> round(result.difference, 4), result.p_value <= 1
        (0.3333, True)
    """
    check_share("level", level)
    options = {"num_resamples": num_resamples, "seed": seed}
    pair = [first, second]
    values = bootstrap_values(pair, resampler, **options, progress=progress)
    drawn = values[0] - values[1]
    drawn = drawn[~drawn.isnan()]
    if drawn.numel() == 0:
        raise ValueError("no resample has both classes; draw more samples")
    a, b = first.value(), second.value()
    difference = a - b
    # A tolerance for rounding, so that ties with the data count as extreme.
    slack = 1e-12
    extreme = int(((drawn - difference).abs() >= abs(difference) - slack).sum())
    tail = (1 - level) / 2
    low, high = quantiles(drawn, tail, 1 - tail)
    p_value = (1 + extreme) / (drawn.numel() + 1)
    return Comparison(a, b, difference, low, high, p_value)


def paired_bootstrap(
    first: Values,
    second: Values,
    label: Values,
    *,
    num_resamples: int = 10_000,
    cluster: Tensor | Sequence[int] | None = None,
    level: float = 0.95,
    seed: int = 0,
    progress: bool = False,
) -> Comparison:
    r"""Compares the AUROCs of two scores by a paired bootstrap; see
    :func:`compare`.

    Args:
        first (torch.Tensor): The scores of the first method.
        second (torch.Tensor): Those of the second method, of the same samples.
        label (torch.Tensor): The labels, 1 for the class of high scores.
        num_resamples (int, optional): The number of resamples.
            (default: :obj:`10000`)
        cluster (torch.Tensor, optional): The clusters to draw; see
            :class:`Resampler`. If set to :obj:`None`, samples are drawn
            within each class. (default: :obj:`None`)
        level (float, optional): The level of the interval.
            (default: :obj:`0.95`)
        seed (int, optional): The seed. (default: :obj:`0`)
        progress (bool, optional): Shows a progress bar. (default: :obj:`False`)

    Example:
        >>> label = [0, 0, 0, 1, 1, 1]
        >>> a, b = [1, 2, 3, 4, 5, 6], [1, 5, 3, 4, 2, 6]
        >>> result = paired_bootstrap(a, b, label, num_resamples=999)
        >>> result.first, round(result.second, 4)
        (1.0, 0.6667)
    """
    pair = WeightedAUROC(first, label), WeightedAUROC(second, label)
    labels = as_bits("label", label)
    strata = labels if cluster is None else None
    resampler = Resampler(labels.numel(), strata=strata, cluster=cluster)
    return compare(
        *pair,
        resampler,
        num_resamples=num_resamples,
        level=level,
        seed=seed,
        progress=progress,
    )


def quantiles(values: Tensor, *shares: float) -> list[float]:
    r"""Returns the quantiles of resamples at some shares."""
    return torch.quantile(values, values.new_tensor(shares)).tolist()
