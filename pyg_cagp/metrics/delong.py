r"""Tests and intervals of areas under the ROC curve in closed form."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from pyg_cagp.metrics.bca import Interval, normal_quantile
from pyg_cagp.metrics.inputs import (
    Values,
    check_same_length,
    check_share,
    scores_and_labels,
)


class DeLong(NamedTuple):
    r"""Two areas of the same samples, and the test of their difference.

    :obj:`z` and :obj:`p_value` are :obj:`None` if the difference has no
    variance, such as that of two perfect scores.
    """

    first: float
    second: float
    difference: float
    variance: float
    z: float | None
    p_value: float | None


def _placements(score: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
    # The share of the other class with lower scores than each sample; ties
    # count half.
    high, low = score[label], score[~label]
    shares = []
    for scores, other in ((high, low), (low, high)):
        other = other.sort().values
        less = torch.searchsorted(other, scores)
        no_more = torch.searchsorted(other, scores, right=True)
        shares.append((less + no_more).double() / (2 * other.numel()))
    return shares[0], 1 - shares[1]


def _variance(high: Tensor, low: Tensor) -> float:
    # The variance of one sample is not defined.
    if min(high.numel(), low.numel()) < 2:
        return math.nan
    return sum(float(part.var()) / part.numel() for part in (high, low))


def delong_test(first: Values, second: Values, label: Values) -> DeLong:
    r"""Compares two areas under the ROC curve by the test of DeLong et al.,
    "Comparing the Areas under Two or More Correlated Receiver Operating
    Characteristic Curves" (1988), ties counted half, in
    :math:`O(n \log n)` as in Sun and Xu, "Fast Implementation of DeLong's
    Algorithm" (2014).

    Args:
        first (torch.Tensor): The scores of the first method.
        second (torch.Tensor): Those of the second method, of the same samples.
        label (torch.Tensor): The labels, 1 for the class of high scores; at
            least two of each class.

    Example:
        >>> label = [0, 0, 0, 1, 1, 1]
        >>> result = delong_test([1, 2, 3, 4, 5, 6], [1, 5, 3, 4, 2, 6], label)
        >>> round(result.difference, 4), round(result.p_value, 4)
        (0.3333, 0.2207)
        >>> delong_test([1, 2, 3, 4], [1, 2, 3, 4], [0, 0, 1, 1]).p_value
    """
    a, labels = scores_and_labels(first, label, "first")
    b, _ = scores_and_labels(second, label, "second")
    check_same_length(first=a, second=b)
    high_a, low_a = _placements(a, labels)
    high_b, low_b = _placements(b, labels)
    if min(high_a.numel(), low_a.numel()) < 2:
        raise ValueError(
            f"'label' must have at least two of each class (got "
            f"{high_a.numel()} ones and {low_a.numel()} zeros)"
        )
    auc_a, auc_b = float(high_a.mean()), float(high_b.mean())
    difference = auc_a - auc_b
    variance = _variance(high_a - high_b, low_a - low_b)
    if variance <= 1e-30:
        return DeLong(auc_a, auc_b, difference, 0.0, None, None)
    z = difference / math.sqrt(variance)
    # The normal tail of a large z is less than the smallest float.
    p_value = max(math.erfc(abs(z) / math.sqrt(2)), 5e-324)
    return DeLong(auc_a, auc_b, difference, variance, z, p_value)


def delong_interval(
    score: Values, label: Values, *, level: float = 0.95
) -> Interval:
    r"""Returns the area under the ROC curve and its confidence interval, from
    the variance of DeLong et al. (1988), on the logit scale so that it is
    within :math:`(0, 1)`. If the area is 0 or 1, or a class has only one
    sample, the width is unknown and both ends are the area.

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for the class of high scores.
        level (float, optional): The level. (default: :obj:`0.95`)

    Example:
        >>> area = delong_interval([1, 4, 3, 2, 5, 6], [0, 0, 0, 1, 1, 1])
        >>> round(area.estimate, 4), round(area.low, 4)
        (0.7778, 0.173)
    """
    check_share("level", level)
    scores, labels = scores_and_labels(score, label)
    high, low = _placements(scores, labels)
    area = float(high.mean())
    if min(high.numel(), low.numel()) < 2 or not 0 < area < 1:
        return Interval(area, area, area)
    z = normal_quantile((1 + level) / 2)
    width = z * math.sqrt(_variance(high, low)) / (area * (1 - area))
    logit = math.log(area / (1 - area))
    ends = (1 / (1 + math.exp(-(logit + w))) for w in (-width, width))
    return Interval(area, *ends)
