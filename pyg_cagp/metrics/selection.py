r"""Thresholds that select the samples to answer, and their accuracy."""

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
from pyg_cagp.metrics.selective import risk_coverage_curve
from pyg_cagp.metrics.weighted import run_ends


class Selection(NamedTuple):
    r"""The accuracy among the answered samples; :obj:`None` without any.

    :obj:`optimum` is that of a selector that knows the errors, at the same
    rate :math:`c`: :math:`\min(1, a / c)`, with accuracy :math:`a` overall.
    """

    answer_rate: float
    accuracy: float | None
    optimum: float


class AnswerRate(NamedTuple):
    r"""The share of answered samples, and the optimum if errors are known."""

    value: float
    optimum: float


def _uncertainty_and_error(
    uncertainty: Values, error: Values
) -> tuple[Tensor, Tensor]:
    uncertain = as_values("uncertainty", uncertainty)
    wrong = as_bits("error", error)
    check_same_length(uncertainty=uncertain, error=wrong)
    return uncertain, wrong


def accuracy_at(uncertainty: Values, error: Values, rate: float) -> Selection:
    r"""Returns the accuracy among the most certain samples.

    Args:
        uncertainty (torch.Tensor): One number for each sample.
        error (torch.Tensor): 1 where the answer is wrong, 0 where it is right.
        rate (float): The share to answer, in :math:`(0, 1]`; rounded up to
            whole samples.

    Example:
        >>> accuracy_at([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], 0.5)
        Selection(answer_rate=0.5, accuracy=0.5, optimum=1.0)
    """
    check_share("rate", rate, "(]")
    uncertain, wrong = _uncertainty_and_error(uncertainty, error)
    num = uncertain.numel()
    k = _answered(rate, num)
    risk = risk_coverage_curve(uncertain, wrong).risk[k - 1]
    return Selection(k / num, 1 - float(risk), _optimum(wrong, k / num))


def answer_rate_at(
    uncertainty: Values, error: Values, risk: float
) -> AnswerRate:
    r"""Returns the largest share that a threshold answers at no more than a
    given risk. The threshold is chosen by the errors, so the share is
    an upper bound; see :func:`threshold_for_risk`.

    Args:
        uncertainty (torch.Tensor): One number for each sample.
        error (torch.Tensor): 1 where the answer is wrong, 0 where it is right.
        risk (float): The largest share of errors, in :math:`[0, 1)`.

    Example:
        >>> answer_rate_at([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], 0.25)
        AnswerRate(value=0.25, optimum=0.5)
    """
    uncertain, wrong = _uncertainty_and_error(uncertainty, error)
    _, end, valid = _thresholds(uncertain, wrong, risk)
    answered = int(end[valid][-1]) if bool(valid.any()) else 0
    right = int((~wrong).sum())
    # The number of errors that can be answered beside all right answers.
    errors = min(int(wrong.sum()), int(risk * right / (1 - risk) + 1e-9))
    num = wrong.numel()
    return AnswerRate(answered / num, (right + errors) / num)


def _thresholds(
    uncertain: Tensor, wrong: Tensor, risk: float
) -> tuple[Tensor, Tensor, Tensor]:
    # Each threshold, the number of answers, and whether their risk is allowed.
    check_share("risk", risk, "[)")
    uncertain, order = uncertain.sort()
    last = run_ends(uncertain)
    errors, end = wrong[order].cumsum(0)[last], last + 1
    return uncertain[last], end, errors <= risk * end.double() + 1e-9


def _answered(rate: float, num: int) -> int:
    # The product may exceed an integer by a rounding error.
    return min(num, max(1, math.ceil(rate * num - 1e-9)))


def threshold_for_rate(uncertainty: Values, rate: float) -> float:
    r"""Returns the threshold that answers a given share of validation samples,
    those of at most this uncertainty.

    Args:
        uncertainty (torch.Tensor): One number for each validation sample.
        rate (float): The share to answer, in :math:`(0, 1]`. Ties are answered
            together, so that the share can be larger.

    Example:
        >>> threshold_for_rate([0.1, 0.2, 0.3, 0.4], 0.5)
        0.2
    """
    check_share("rate", rate, "(]")
    uncertain = as_values("uncertainty", uncertainty).sort().values
    return float(uncertain[_answered(rate, uncertain.numel()) - 1])


def threshold_for_risk(
    uncertainty: Values, error: Values, risk: float
) -> float:
    r"""Returns the threshold that answers the most validation samples at no
    more than a given risk; :math:`-\infty` if none does.

    Args:
        uncertainty (torch.Tensor): One number for each validation sample.
        error (torch.Tensor): 1 where the answer is wrong, 0 where it is right.
        risk (float): The largest share of errors, in :math:`[0, 1)`.

    Example:
        >>> threshold_for_risk([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1], 0.35)
        0.3
    """
    uncertain, wrong = _uncertainty_and_error(uncertainty, error)
    threshold, _, valid = _thresholds(uncertain, wrong, risk)
    return float(threshold[valid][-1]) if bool(valid.any()) else -torch.inf


def select(uncertainty: Values, error: Values, threshold: float) -> Selection:
    r"""Answers the samples of at most a given uncertainty, and returns their
    accuracy and the optimum at this answer rate.

    Args:
        uncertainty (torch.Tensor): One number for each sample.
        error (torch.Tensor): 1 where the answer is wrong, 0 where it is right.
        threshold (float): The threshold, chosen on validation by
            :func:`threshold_for_rate` or :func:`threshold_for_risk`.

    Example:
        >>> select([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], 0.2)
        Selection(answer_rate=0.5, accuracy=0.5, optimum=1.0)
    """
    if math.isnan(threshold):
        raise ValueError("'threshold' must be a number (got nan)")
    uncertain, wrong = _uncertainty_and_error(uncertainty, error)
    answered = uncertain <= threshold
    rate = float(answered.double().mean())
    accuracy = None
    if rate > 0:
        accuracy = 1 - float(wrong[answered].double().mean())
    return Selection(rate, accuracy, _optimum(wrong, rate))


def _optimum(wrong: Tensor, rate: float) -> float:
    accuracy = 1 - float(wrong.double().mean())
    return min(1.0, accuracy / rate) if rate else 1.0
