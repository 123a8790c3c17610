r"""Calibration errors of probabilities."""

import math
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch_geometric.utils import scatter

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.metrics.inputs import (
    Values,
    check_positive,
    probabilities_and_labels,
)

#: The norm of the gaps of all bins.
Norm: TypeAlias = Literal["l1", "l2"]

#: The way in which bins are cut: equal width, or equal numbers of samples.
Binning: TypeAlias = Literal["width", "mass"]


class Bins(NamedTuple):
    r"""The number of samples of each bin, the mean of their probabilities and
    the share of those with label 1.
    """

    size: Tensor
    confidence: Tensor
    frequency: Tensor

    @property
    def gap(self) -> Tensor:
        r"""The frequency minus the mean probability of each bin."""
        return self.frequency - self.confidence

    @property
    def share(self) -> Tensor:
        r"""The share of all samples that each bin holds."""
        return self.size.double() / self.size.sum()


def calibration_bins(
    probability: Values,
    label: Values,
    *,
    num_bins: int = 15,
    binning: Binning = "width",
) -> Bins:
    r"""Gathers samples into bins by their probability.

    Samples of equal probability are in the same bin.

    Args:
        probability (torch.Tensor): The probabilities of label 1.
        label (torch.Tensor): The labels.
        num_bins (int, optional): The number of bins. Empty bins are dropped.
            (default: :obj:`15`)
        binning (str, optional): :obj:`"width"` for bins of equal width, each
            with its upper edge, or :obj:`"mass"` for bins of equal size, as far
            as ties allow. (default: :obj:`"width"`)

    Example:
        >>> p, label = [0.0, 0.2, 0.9, 1.0], [0, 1, 1, 1]
        >>> calibration_bins(p, label, num_bins=2).frequency
        tensor([0.5000, 1.0000], dtype=torch.float64)
    """
    p, y = probabilities_and_labels(probability, label)
    check_choice("binning", binning, Binning)
    check_positive("num_bins", num_bins)
    if binning == "width":
        steps = torch.arange(1, num_bins, dtype=p.dtype, device=p.device)
        edges = steps / num_bins
    else:
        places = torch.arange(1, num_bins, device=p.device) * p.numel()
        # The last sample of each bin, if there are no ties.
        last = (places + num_bins - 1) // num_bins - 1
        edges = p.sort().values[last].unique()
    return gather(p, y, torch.bucketize(p, edges))


def gather(p: Tensor, y: Tensor, group: Tensor) -> Bins:
    r"""Returns one bin for each group of samples."""
    _, group, count = group.unique(return_inverse=True, return_counts=True)
    parts = (p, y.double())
    sums = [scatter(v, group, dim_size=count.numel()) for v in parts]
    return Bins(count, sums[0] / count, sums[1] / count)


def expected_calibration_error(
    probability: Values,
    label: Values,
    *,
    num_bins: int = 15,
    binning: Binning = "width",
    norm: Norm = "l1",
    debiased: bool = False,
) -> float:
    r"""Returns the expected calibration error, of the `"Obtaining Well
    Calibrated Probabilities Using Bayesian Binning"
    <https://ojs.aaai.org/index.php/AAAI/article/view/9602>`_ paper.

    .. math::
        \left( \sum_b \frac{n_b}{n} \left| \bar{y}_b - \bar{p}_b \right|^k
        \right)^{1/k}

    Args:
        probability (torch.Tensor): The probabilities of label 1.
        label (torch.Tensor): The labels.
        num_bins (int, optional): The number of bins. (default: :obj:`15`)
        binning (str, optional): :obj:`"width"` or :obj:`"mass"`, which is less
            biased; see :func:`calibration_bins`. (default: :obj:`"width"`)
        norm (str, optional): :obj:`"l1"` for :math:`k = 1` or :obj:`"l2"` for
            :math:`k = 2`. (default: :obj:`"l1"`)
        debiased (bool, optional): If set to :obj:`True`, subtracts the share of
            chance, as in the `"Verified Uncertainty Calibration"
            <https://arxiv.org/abs/1909.10155>`_ paper: the variance
            :math:`\bar{y}_b (1 - \bar{y}_b) / (n_b - 1)` of squares, and the
            excess of a folded normal distribution of absolute values. Bins of
            one sample do not change. (default: :obj:`False`)

    Example:
        >>> p, y = [0.0, 0.2, 0.9, 1.0], [0, 1, 1, 1]
        >>> round(expected_calibration_error(p, y, num_bins=2), 6)
        0.225
    """
    check_choice("norm", norm, Norm)
    p, y = probability, label
    bins = calibration_bins(p, y, num_bins=num_bins, binning=binning)
    gap = bins.gap.abs()
    variance = bins.frequency * (1 - bins.frequency)
    if norm == "l2":
        square = gap.square()
        if debiased:
            square = square - variance / (bins.size - 1).clamp(min=1)
        return math.sqrt(max(0.0, float(bins.share @ square)))
    if debiased:
        spread = (variance / bins.size).sqrt()
        gap = 2 * gap - _folded_mean(gap, spread)
    return max(0.0, float(bins.share @ gap))


def _folded_mean(mean: Tensor, spread: Tensor) -> Tensor:
    # The mean of |X| for a normally distributed X.
    ratio = torch.where(spread > 0, mean / spread, 0)
    tail = torch.exp(-(ratio**2) / 2) * math.sqrt(2 / math.pi)
    folded = spread * tail + mean * torch.erf(ratio / math.sqrt(2))
    return torch.where(spread > 0, folded, mean)


def maximum_calibration_error(
    probability: Values,
    label: Values,
    *,
    num_bins: int = 15,
    binning: Binning = "width",
) -> float:
    r"""Returns the largest gap of all bins; see
    :func:`expected_calibration_error`.

    Args:
        probability (torch.Tensor): The probabilities of label 1.
        label (torch.Tensor): The labels.
        num_bins (int, optional): The number of bins. (default: :obj:`15`)
        binning (str, optional): :obj:`"width"` or :obj:`"mass"`.
            (default: :obj:`"width"`)

    Example:
        >>> p, y = [0.0, 0.2, 0.9, 1.0], [0, 1, 1, 1]
        >>> maximum_calibration_error(p, y, num_bins=2)
        0.4
    """
    p, y = probability, label
    bins = calibration_bins(p, y, num_bins=num_bins, binning=binning)
    return float(bins.gap.abs().max())
