r"""What is gained by answering only where one is sure.

A *loss* is 1 for an error and 0 for a right answer, or any other number.
Samples are answered from the most certain to the least; among equally certain
ones, any order is as likely as another, and what is returned is the mean over
orders.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from pyg_cagp.metrics.inputs import (
    Values,
    as_bits,
    as_values,
    check_same_length,
    check_share,
)
from pyg_cagp.metrics.weighted import WeightedAURC


class RiskCoverage(NamedTuple):
    r"""The mean loss of the :math:`k` most certain samples, for all :math:`k`.

    :obj:`coverage` is :math:`k / n`, the share that is answered.
    """

    coverage: Tensor
    risk: Tensor


class Selection(NamedTuple):
    r"""What came of answering some samples and not others.

    :obj:`accuracy` is :obj:`None` where nothing was answered, and
    :obj:`optimum` is what a selector that knows the errors would have reached
    at the same answer rate: :math:`\min(1, a / c)` with :math:`a` the accuracy
    over all samples and :math:`c` the rate.
    """

    answer_rate: float
    accuracy: float | None
    optimum: float


class AnswerRate(NamedTuple):
    r"""The share that could be answered, and the share that a selector that
    knows the errors could answer.
    """

    value: float
    optimum: float


def _doubt_and_loss(uncertainty: Values, loss: Values) -> tuple[Tensor, Tensor]:
    doubt = as_values("uncertainty", uncertainty)
    losses = as_values("loss", loss, finite=True)
    check_same_length(uncertainty=doubt, loss=losses)
    return doubt, losses


def _doubt_and_error(
    uncertainty: Values, error: Values
) -> tuple[Tensor, Tensor]:
    doubt, wrong = (
        as_values("uncertainty", uncertainty),
        as_bits("error", error),
    )
    check_same_length(uncertainty=doubt, error=wrong)
    return doubt, wrong


def risk_coverage_curve(uncertainty: Values, loss: Values) -> RiskCoverage:
    r"""Returns the risk-coverage curve of the `"Selective Classification for
    Deep Neural Networks" <https://arxiv.org/abs/1705.08500>`_ paper.

    Args:
        uncertainty (torch.Tensor): One number a sample.
        loss (torch.Tensor): One number a sample.

    Example:
        >>> risk_coverage_curve([0.1, 0.2, 0.2, 0.9], [0, 0, 1, 1]).risk
        tensor([0.0000, 0.2500, 0.3333, 0.5000], dtype=torch.float64)
    """
    doubt, losses = _doubt_and_loss(uncertainty, loss)
    k = torch.arange(1, doubt.numel() + 1, device=doubt.device).double()
    return RiskCoverage(k / k[-1], _expected_sums(doubt, losses) / k)


def _expected_sums(doubt: Tensor, losses: Tensor) -> Tensor:
    # Over all orders of ties, the sum of losses grows evenly within a group.
    doubt, order = doubt.sort()
    _, group, count = doubt.unique_consecutive(
        return_inverse=True, return_counts=True
    )
    total = losses.new_zeros(count.numel()).index_add_(0, group, losses[order])
    return (total / count)[group].cumsum(0)


def aurc(uncertainty: Values, loss: Values) -> float:
    r"""Returns the area under the risk-coverage curve: the mean of
    :math:`\text{risk}(k)` over :math:`k = 1, \ldots, n`.

    Args:
        uncertainty (torch.Tensor): One number a sample.
        loss (torch.Tensor): One number a sample.

    Example:
        >>> round(aurc([0.1, 0.2, 0.3, 0.4], [0, 0, 0, 1]), 6)
        0.0625
    """
    return WeightedAURC(uncertainty, loss).value()


def optimal_aurc(loss: Values) -> float:
    r"""Returns the area that a selector would reach in hindsight, by answering
    the samples of least loss first.

    Args:
        loss (torch.Tensor): One number a sample.

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
        uncertainty (torch.Tensor): One number a sample.
        loss (torch.Tensor): One number a sample.

    Example:
        >>> e_aurc([0.1, 0.2, 0.3, 0.4], [0, 0, 0, 1])
        0.0
    """
    return aurc(uncertainty, loss) - optimal_aurc(loss)


def augrc(uncertainty: Values, loss: Values) -> float:
    r"""Returns the area under the generalised risk-coverage curve, of the
    `"Overcoming Common Flaws in the Evaluation of Selective Classification
    Systems" <https://arxiv.org/abs/2407.01032>`_ paper: the risk of an answered
    error, :math:`\frac{1}{n} \sum_{i \leq k} \ell_i`, over all coverages from
    0 to 1. With :math:`a` the accuracy and AUROC that of telling errors from
    right answers, it is
    :math:`(1 - \text{AUROC}) \, a (1 - a) + \frac{1}{2} (1 - a)^2`.

    Args:
        uncertainty (torch.Tensor): One number a sample.
        loss (torch.Tensor): One number a sample.

    Example:
        >>> augrc([0.1, 0.2, 0.3, 0.4], [0, 0, 0, 1])
        0.03125
    """
    doubt, losses = _doubt_and_loss(uncertainty, loss)
    risk = _expected_sums(doubt, losses) / doubt.numel()
    return float(torch.trapezoid(torch.nn.functional.pad(risk, (1, 0)))) / (
        doubt.numel()
    )


def accuracy_at(uncertainty: Values, error: Values, rate: float) -> Selection:
    r"""Returns the accuracy among the most certain samples.

    Args:
        uncertainty (torch.Tensor): One number a sample.
        error (torch.Tensor): 1 where the answer is wrong, 0 where it is right.
        rate (float): The share to answer, in :math:`(0, 1]`; rounded up to
            whole samples.

    Example:
        >>> accuracy_at([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], 0.5)
        Selection(answer_rate=0.5, accuracy=0.5, optimum=1.0)
    """
    check_share("rate", rate, "(]")
    doubt, wrong = _doubt_and_error(uncertainty, error)
    num = doubt.numel()
    k = min(num, max(1, -int(-(rate * num - 1e-9) // 1)))
    risk = risk_coverage_curve(doubt, wrong).risk[k - 1]
    return Selection(k / num, 1 - float(risk), _optimum(wrong, k / num))


def answer_rate_at(
    uncertainty: Values, error: Values, risk: float
) -> AnswerRate:
    r"""Returns the largest share that could be answered at no more than a given
    risk.

    Ties are answered together or not at all, as a threshold has it. It looks at
    the errors to choose, so it is a bound; see :func:`threshold_for_risk`.

    Args:
        uncertainty (torch.Tensor): One number a sample.
        error (torch.Tensor): 1 where the answer is wrong, 0 where it is right.
        risk (float): The largest share of errors among answers, in
            :math:`[0, 1)`.

    Example:
        >>> answer_rate_at([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], 0.25)
        AnswerRate(value=0.25, optimum=0.5)
    """
    doubt, wrong = _doubt_and_error(uncertainty, error)
    _, end, fine = _thresholds(doubt, wrong, risk)
    answered = int(end[fine][-1]) if bool(fine.any()) else 0
    right = int((~wrong).sum())
    # So many errors can be afforded beside all right answers.
    errors = min(int(wrong.sum()), int(risk * right / (1 - risk) + 1e-9))
    num = wrong.numel()
    return AnswerRate(answered / num, (right + errors) / num)


def _thresholds(
    doubt: Tensor, wrong: Tensor, risk: float
) -> tuple[Tensor, Tensor, Tensor]:
    # Each threshold, how many it answers, and whether the risk is kept.
    check_share("risk", risk, "[)")
    doubt, order = doubt.sort()
    errors = wrong[order].cumsum(0)
    last = torch.ones_like(wrong)
    last[:-1] = doubt[1:] != doubt[:-1]
    end = last.nonzero().view(-1) + 1
    return doubt[last], end, errors[last] <= risk * end.double() + 1e-9


def threshold_for_rate(uncertainty: Values, rate: float) -> float:
    r"""Returns the threshold that answers a given share of validation samples;
    what is at most as uncertain is answered.

    Args:
        uncertainty (torch.Tensor): One number a validation sample.
        rate (float): The share to answer, in :math:`(0, 1]`. Ties are answered
            together, so that the share can be larger.

    Example:
        >>> threshold_for_rate([0.1, 0.2, 0.3, 0.4], 0.5)
        0.2
    """
    check_share("rate", rate, "(]")
    doubt = as_values("uncertainty", uncertainty).sort().values
    k = max(1, -int(-(rate * doubt.numel() - 1e-9) // 1))
    return float(doubt[min(k, doubt.numel()) - 1])


def threshold_for_risk(
    uncertainty: Values, error: Values, risk: float
) -> float:
    r"""Returns the threshold that answers the most validation samples at no
    more than a given risk; :math:`-\infty` if none does.

    Args:
        uncertainty (torch.Tensor): One number a validation sample.
        error (torch.Tensor): 1 where the answer is wrong, 0 where it is right.
        risk (float): The largest share of errors among answers, in
            :math:`[0, 1)`.

    Example:
        >>> threshold_for_risk([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1], 0.35)
        0.3
    """
    doubt, wrong = _doubt_and_error(uncertainty, error)
    threshold, _, fine = _thresholds(doubt, wrong, risk)
    return float(threshold[fine][-1]) if bool(fine.any()) else -torch.inf


def select(uncertainty: Values, error: Values, threshold: float) -> Selection:
    r"""Answers what is at most as uncertain as a threshold, and tells what came
    of it beside what hindsight could have made of the same answer rate.

    Args:
        uncertainty (torch.Tensor): One number a sample.
        error (torch.Tensor): 1 where the answer is wrong, 0 where it is right.
        threshold (float): Chosen on validation, by :func:`threshold_for_rate`
            or :func:`threshold_for_risk`.

    Example:
        >>> select([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], 0.2)
        Selection(answer_rate=0.5, accuracy=0.5, optimum=1.0)
    """
    if math.isnan(threshold):
        raise ValueError("'threshold' must be a number (got nan)")
    doubt, wrong = _doubt_and_error(uncertainty, error)
    answered = doubt <= threshold
    rate = float(answered.double().mean())
    accuracy = (
        1 - float(wrong[answered].double().mean())
        if bool(answered.any())
        else None
    )
    return Selection(rate, accuracy, _optimum(wrong, rate))


def _optimum(wrong: Tensor, rate: float) -> float:
    accuracy = 1 - float(wrong.double().mean())
    return min(1.0, accuracy / rate) if rate else 1.0
