r"""Metrics of selective prediction.

A loss is usually 1 for an error and 0 otherwise. Any number is allowed. Samples
are answered from the most certain to the least. The *answer rate* is the share
of samples that are answered, which papers call coverage. It is not
:class:`~pyg_cagp.coverage.Coverage`. Values are means over all orders of
equally certain samples.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from pyg_cagp.metrics.inputs import Values, uncertainty_and_loss
from pyg_cagp.metrics.weighted import WeightedAURC


class RiskCoverage(NamedTuple):
    r"""The mean loss of the :math:`k` most certain samples, for all :math:`k`.

    :obj:`coverage` is the answer rate, :math:`k / n`.
    """

    coverage: Tensor
    risk: Tensor


def risk_coverage_curve(uncertainty: Values, loss: Values) -> RiskCoverage:
    r"""Returns the risk-coverage curve of the `"Selective Classification for
    Deep Neural Networks" <https://arxiv.org/abs/1705.08500>`_ paper.

    Args:
        uncertainty (torch.Tensor): One number for each sample.
        loss (torch.Tensor): One number for each sample.

    Example:
        >>> risk_coverage_curve([0.1, 0.2, 0.2, 0.9], [0, 0, 1, 1]).risk
        tensor([0.0000, 0.2500, 0.3333, 0.5000], dtype=torch.float64)
    """
    uncertain, losses = uncertainty_and_loss(uncertainty, loss)
    k = torch.arange(1, uncertain.numel() + 1, device=uncertain.device).double()
    return RiskCoverage(k / k[-1], _expected_sums(uncertain, losses) / k)


def _expected_sums(uncertain: Tensor, losses: Tensor) -> Tensor:
    # The mean over all orders of ties: each sample of a group of ties adds the
    # mean loss of the group.
    uncertain, order = uncertain.sort()
    _, group, count = uncertain.unique_consecutive(
        return_inverse=True, return_counts=True
    )
    total = losses.new_zeros(count.numel()).index_add_(0, group, losses[order])
    return (total / count)[group].cumsum(0)


def aurc(uncertainty: Values, loss: Values) -> float:
    r"""Returns the area under the risk-coverage curve: the mean of
    :math:`\text{risk}(k)` over :math:`k = 1, \ldots, n`.

    Args:
        uncertainty (torch.Tensor): One number for each sample.
        loss (torch.Tensor): One number for each sample.

    Example:
        >>> round(aurc([0.1, 0.2, 0.3, 0.4], [0, 0, 0, 1]), 6)
        0.0625
    """
    return WeightedAURC(uncertainty, loss).value()


def optimal_aurc(loss: Values) -> float:
    r"""Returns the smallest possible area, by answering the samples of least
    loss first.

    Args:
        loss (torch.Tensor): One number for each sample.

    Example:
        >>> round(optimal_aurc([0, 1, 0, 0]), 6)
        0.0625
    """
    return aurc(loss, loss)


def e_aurc(uncertainty: Values, loss: Values) -> float:
    r"""Returns the excess of :func:`aurc` over :func:`optimal_aurc`, of the
    `"Bias-Reduced Uncertainty Estimation for Deep Neural Classifiers"
    <https://arxiv.org/abs/1805.08206>`_ paper.

    Args:
        uncertainty (torch.Tensor): One number for each sample.
        loss (torch.Tensor): One number for each sample.

    Example:
        >>> e_aurc([0.1, 0.2, 0.3, 0.4], [0, 0, 0, 1])
        0.0
    """
    return aurc(uncertainty, loss) - optimal_aurc(loss)


def augrc(uncertainty: Values, loss: Values) -> float:
    r"""Returns the area under the generalised risk-coverage curve, of the
    `"Overcoming Common Flaws in the Evaluation of Selective Classification
    Systems" <https://arxiv.org/abs/2407.01032>`_ paper: the risk of an answered
    error, :math:`\frac{1}{n} \sum_{i \leq k} \ell_i`, over all answer rates
    from 0 to 1. With accuracy :math:`a` and the AUROC of errors, it is
    :math:`(1 - \text{AUROC}) \, a (1 - a) + \frac{1}{2} (1 - a)^2`.

    Args:
        uncertainty (torch.Tensor): One number for each sample.
        loss (torch.Tensor): One number for each sample.

    Example:
        >>> augrc([0.1, 0.2, 0.3, 0.4], [0, 0, 0, 1])
        0.03125
    """
    uncertain, losses = uncertainty_and_loss(uncertainty, loss)
    num = uncertain.numel()
    risk = torch.nn.functional.pad(_expected_sums(uncertain, losses), (1, 0))
    return float(torch.trapezoid(risk / num)) / num
