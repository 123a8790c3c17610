r"""Statistics of weighted samples.

A bootstrap resample is a vector of weights: the count of each sample. A
statistic sorts its samples once, so that a resample needs a cumulative sum and
no sort. Weights of 1 give the statistic of the samples.
"""

from abc import ABC, abstractmethod

import torch
from torch import Tensor

from pyg_cagp.metrics.inputs import (
    Values,
    as_values,
    scores_and_labels,
    uncertainty_and_loss,
)


class WeightedStatistic(ABC):
    r"""A base class of statistics of weighted samples.

    Args:
        num_samples (int): The number of samples.
        device (torch.device): The device of the samples.
    """

    def __init__(self, num_samples: int, device: torch.device) -> None:
        self.num_samples = num_samples
        self.device = device

    @abstractmethod
    def __call__(self, weight: Tensor) -> Tensor:
        r"""Returns the statistic of each weighting, of shape :obj:`[B]`; NaN
        where a weighting leaves no sample to compute it from.
        """

    def leave_one_out(self) -> Tensor | None:
        r"""Returns the statistic without each sample in turn, or :obj:`None` if
        there is no faster way than a weighting for each.
        """
        return None

    def value(self) -> float:
        r"""Returns the statistic at weights of 1."""
        ones = torch.ones(1, self.num_samples, device=self.device)
        return float(self(ones.double()))


class WeightedMean(WeightedStatistic):
    r"""The mean.

    Args:
        values (torch.Tensor): One number for each sample.

    Example:
        >>> WeightedMean([1.0, 3.0])(torch.tensor([[1.0, 1.0], [0.0, 2.0]]))
        tensor([2., 3.], dtype=torch.float64)
    """

    def __init__(self, values: Values) -> None:
        self.values = as_values("values", values, finite=True)
        super().__init__(self.values.numel(), self.values.device)

    def __call__(self, weight: Tensor) -> Tensor:
        r"""Returns the mean of each weighting."""
        weight = weight.double()
        return (weight @ self.values) / weight.sum(dim=1)

    def leave_one_out(self) -> Tensor:
        r"""Returns the mean without each sample in turn."""
        return (self.values.sum() - self.values) / (self.num_samples - 1)


class WeightedAUROC(WeightedStatistic):
    r"""The area under the ROC curve, ties counted half.

    With :math:`V(x)` the weight of negatives that score less than :math:`x`,
    and :math:`V'(x)` that of those that score no more,

    .. math::
        \text{AUROC} = \frac{\sum_{i : y_i = 1} w_i
        \left( V(s_i) + V'(s_i) \right)}{2 \sum_{i : y_i = 1} w_i
        \sum_{j : y_j = 0} w_j}

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for the class of high scores.

    Example:
        >>> auroc = WeightedAUROC([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1])
        >>> auroc(torch.tensor([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 2.0]]))
        tensor([0.8750, 1.0000], dtype=torch.float64)
    """

    def __init__(self, score: Values, label: Values) -> None:
        scores, labels = scores_and_labels(score, label)
        super().__init__(scores.numel(), scores.device)
        low, by_low = scores[~labels].sort()
        high, by_high = scores[labels].sort()
        # Both are sorted, so that the cumulative sum is read in order.
        self.negative = (~labels).nonzero().view(-1)[by_low]
        self.positive = labels.nonzero().view(-1)[by_high]
        self.less = torch.searchsorted(low, high)
        self.no_more = torch.searchsorted(low, high, right=True)

    def __call__(self, weight: Tensor) -> Tensor:
        r"""Returns the area of each weighting."""
        if not weight.is_floating_point() or weight.dtype.itemsize < 4:
            weight = weight.double()
        low = weight.index_select(1, self.negative)
        high = weight.index_select(1, self.positive)
        # Counts are exact in float32 as long as they add up to less than 2^23.
        total = low.new_zeros((weight.size(0), low.size(1) + 1))
        torch.cumsum(low, dim=1, out=total[:, 1:])
        beaten = total.index_select(1, self.less)
        beaten += total.index_select(1, self.no_more)
        won = torch.linalg.vecdot(high.double(), beaten.double())
        pairs = total[:, -1].double() * high.sum(dim=1, dtype=torch.double)
        return won / (2 * pairs)

    def leave_one_out(self) -> Tensor:
        r"""Returns the area without each sample in turn."""
        low, high = self.negative.numel(), self.positive.numel()
        # The number of lower negatives of each positive, and of higher
        # positives of each negative. Ties count half.
        by_high = (self.less + self.no_more).double() / 2
        total = by_high.sum()
        step = by_high.new_zeros(low + 1)
        for ends in (self.less, self.no_more):
            step += torch.bincount(ends, minlength=low + 1) / 2
        by_low = high - step.cumsum(0)[:-1]
        areas = by_high.new_empty(self.num_samples)
        areas[self.positive] = (total - by_high) / ((high - 1) * low)
        areas[self.negative] = (total - by_low) / (high * (low - 1))
        return areas


class WeightedAURC(WeightedStatistic):
    r"""The area under the risk-coverage curve: the mean, over
    :math:`k = 1, \ldots, n`, of the mean loss of the :math:`k` most certain
    samples, itself a mean over all orders of ties.

    A group of ties between the cumulative weights :math:`a` and :math:`b`, with
    loss :math:`L` before it and mean loss :math:`m` in it, adds
    :math:`m (b - a) + (L - m a) (H_b - H_a)`, with harmonic numbers :math:`H`.

    Args:
        uncertainty (torch.Tensor): One number for each sample.
        loss (torch.Tensor): One number for each sample, such as 1 for an error.

    Example:
        >>> WeightedAURC([0.1, 0.2], [0, 1])(torch.tensor([[1.0, 1.0]]))
        tensor([0.2500], dtype=torch.float64)
    """

    def __init__(self, uncertainty: Values, loss: Values) -> None:
        uncertain, losses = uncertainty_and_loss(uncertainty, loss)
        super().__init__(uncertain.numel(), uncertain.device)
        uncertain, self.order = uncertain.sort()
        self.loss = losses[self.order]
        self.ends = run_ends(uncertain)

    def __call__(self, weight: Tensor) -> Tensor:
        r"""Returns the area of each weighting."""
        sorted_weight = weight.index_select(1, self.order).double()
        b = _sum_to(sorted_weight, self.ends)
        loss = _sum_to(sorted_weight * self.loss, self.ends)
        a, before = _shifted(b), _shifted(loss)
        gain = loss - before
        mean = torch.where(b > a, gain / (b - a).clamp(min=1), 0)
        places = torch.arange(int(b[:, -1].max()) + 1, device=b.device).double()
        harmonic = torch.where(places > 0, 1 / places, 0).cumsum(0)
        rise = harmonic[b.long()] - harmonic[a.long()]
        return (gain + (before - mean * a) * rise).sum(dim=1) / b[:, -1]


def run_ends(ordered: Tensor) -> Tensor:
    r"""Returns the last position of each run of equal values."""
    last = torch.ones_like(ordered, dtype=torch.bool)
    last[:-1] = ordered[1:] != ordered[:-1]
    return last.nonzero().view(-1)


def _sum_to(values: Tensor, ends: Tensor) -> Tensor:
    return values.cumsum(dim=1).index_select(1, ends)


def _shifted(values: Tensor) -> Tensor:
    return torch.nn.functional.pad(values[:, :-1], (1, 0))
