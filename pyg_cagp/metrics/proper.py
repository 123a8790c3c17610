r"""Proper scores of probabilities."""

from typing import NamedTuple

import torch

from pyg_cagp.metrics.calibration import Binning, calibration_bins, gather
from pyg_cagp.metrics.inputs import Values, probabilities_and_labels


class BrierParts(NamedTuple):
    r"""The parts of a Brier score, which is
    :obj:`reliability - resolution + uncertainty`.
    """

    reliability: float
    resolution: float
    uncertainty: float


def brier_score(probability: Values, label: Values) -> float:
    r"""Returns the mean of :math:`(p - y)^2`.

    Args:
        probability (torch.Tensor): The probabilities of label 1.
        label (torch.Tensor): The labels.

    Example:
        >>> brier_score([0.0, 0.5, 1.0], [0, 1, 1])
        0.08333333333333333
    """
    p, y = probabilities_and_labels(probability, label)
    return float((p - y.double()).square().mean())


def brier_parts(
    probability: Values,
    label: Values,
    *,
    num_bins: int | None = None,
    binning: Binning = "mass",
) -> BrierParts:
    r"""Splits the Brier score into reliability, resolution and uncertainty, as
    in Murphy, "A New Vector Partition of the Probability Score" (1973).

    .. math::
        \text{REL} = \sum_b \frac{n_b}{n} (\bar{p}_b - \bar{y}_b)^2, \quad
        \text{RES} = \sum_b \frac{n_b}{n} (\bar{y}_b - \bar{y})^2, \quad
        \text{UNC} = \bar{y} (1 - \bar{y})

    Args:
        probability (torch.Tensor): The probabilities of label 1.
        label (torch.Tensor): The labels.
        num_bins (int, optional): The number of bins. If set to :obj:`None`,
            each distinct probability is a bin. Differences within a bin are
            part of the resolution, as in Stephenson et al., "Two Extra
            Components in the Brier Score Decomposition" (2008).
            (default: :obj:`None`)
        binning (str, optional): :obj:`"width"` or :obj:`"mass"`.
            (default: :obj:`"mass"`)

    Example:
        >>> brier_parts([0.25, 0.25, 0.75, 0.75], [0, 0, 1, 1])
        BrierParts(reliability=0.0625, resolution=0.25, uncertainty=0.25)
    """
    p, y = probabilities_and_labels(probability, label)
    if num_bins is None:
        bins = gather(p, y, p.unique(return_inverse=True)[1])
    else:
        bins = calibration_bins(p, y, num_bins=num_bins, binning=binning)
    base = float(y.double().mean())
    uncertainty = base * (1 - base)
    reliability = float(bins.share @ bins.gap.square())
    resolution = float(bins.share @ (bins.frequency - base).square())
    if num_bins is not None:
        plain = reliability - resolution + uncertainty
        resolution += plain - brier_score(p, y)
    return BrierParts(reliability, resolution, uncertainty)


def log_loss(probability: Values, label: Values) -> float:
    r"""Returns the mean of :math:`-\log` of the probability of the true label.

    Probabilities are at least the precision of :obj:`torch.double` from 0 and
    1, so that the largest loss of a sample is about 36.

    Args:
        probability (torch.Tensor): The probabilities of label 1.
        label (torch.Tensor): The labels.

    Example:
        >>> log_loss([0.5, 0.5], [0, 1])
        0.6931471805599453
    """
    p, y = probabilities_and_labels(probability, label)
    eps = torch.finfo(p.dtype).eps
    p = p.clamp(eps, 1 - eps)
    return -float(torch.where(y, p.log(), torch.log1p(-p)).mean())
