r"""Metrics of the separation of two classes by a score.

Label 1 marks the class of high scores, such as OOD for an uncertainty. A sample
is flagged if its score is *at least* the threshold.
"""

from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.metrics.inputs import Values, check_share, scores_and_labels
from pyg_cagp.metrics.weighted import WeightedAUROC, run_ends

#: The class that counts as positive.
Positive: TypeAlias = Literal["ood", "id"]


class Sweep(NamedTuple):
    r"""The counts of flagged samples for each distinct score, from the highest
    to the lowest.
    """

    threshold: Tensor
    true_positives: Tensor
    false_positives: Tensor


def sweep(score: Values, label: Values) -> Sweep:
    r"""Counts the samples that each threshold flags.

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for the class of high scores.

    Example:
        >>> sweep([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1]).false_positives
        tensor([0, 1, 2])
    """
    scores, labels = scores_and_labels(score, label)
    scores, order = scores.sort(descending=True)
    labels, last = labels[order], run_ends(scores)
    hits, alarms = labels.cumsum(0), (~labels).cumsum(0)
    return Sweep(scores[last], hits[last], alarms[last])


def auroc(score: Values, label: Values) -> float:
    r"""Returns the area under the ROC curve, ties counted half.

    .. math::
        P(s^+ > s^-) + \tfrac{1}{2} P(s^+ = s^-)

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for the class of high scores.

    Example:
        >>> auroc([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1])
        0.875
    """
    return WeightedAUROC(score, label).value()


def roc_curve(score: Values, label: Values) -> tuple[Tensor, Tensor]:
    r"""Returns the false and the true positive rates of all thresholds, from
    :math:`(0, 0)` to :math:`(1, 1)`.

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for the class of high scores.

    Example:
        >>> roc_curve([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1])[1]
        tensor([0.0000, 0.5000, 1.0000, 1.0000], dtype=torch.float64)
    """
    _, tp, fp = sweep(score, label)
    rates = [torch.cat([c.new_zeros(1), c]).double() / c[-1] for c in (fp, tp)]
    return rates[0], rates[1]


def kind_auroc(score: Tensor, kind: Tensor, *kinds: int) -> float | None:
    r"""Returns the AUROC of a score for some kinds of OOD against ID;
    :obj:`None` without any of these kinds or without ID.

    Args:
        score (torch.Tensor): One number for each triple.
        kind (torch.Tensor): The kind of each triple, 0 for ID.
        *kinds (int): The kinds that should score high.

    Example:
        >>> kind = torch.tensor([0, 0, 1, 2])
        >>> kind_auroc(torch.tensor([0.0, 1.0, 2.0, 0.5]), kind, 1)
        1.0
    """
    positive = torch.isin(kind, torch.tensor(kinds, device=kind.device))
    chosen = positive | (kind == 0)
    label = positive[chosen]
    if bool(label.all()) or not bool(label.any()):
        return None
    return auroc(score[chosen], label)


def aupr(score: Values, label: Values, *, positive: Positive = "ood") -> float:
    r"""Returns the area under the precision-recall curve as average precision,
    :math:`\sum_k (R_k - R_{k-1}) P_k` over distinct scores.

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for the class of high scores.
        positive (str, optional): The positive class: :obj:`"ood"`, of high
            scores, or :obj:`"id"`, of low ones. (default: :obj:`"ood"`)

    Example:
        >>> aupr([0.1, 0.4, 0.8, 0.9], [0, 1, 0, 1])
        0.8333333333333333
        >>> aupr([0.1, 0.4, 0.8, 0.9], [0, 1, 0, 1], positive="id")
        0.8333333333333333
    """
    check_choice("positive", positive, Positive)
    scores, labels = scores_and_labels(score, label)
    if positive == "id":
        scores, labels = -scores, ~labels
    _, tp, fp = sweep(scores, labels)
    recall = tp.double() / tp[-1]
    gain = recall.diff(prepend=recall.new_zeros(1))
    return float(gain @ (tp / (tp + fp).double()))


def fpr_at_tpr(score: Values, label: Values, *, tpr: float = 0.95) -> float:
    r"""Returns the smallest share of negatives flagged by a threshold that
    flags at least a given share of positives.

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for the class of high scores.
        tpr (float, optional): The share of positives, in :math:`(0, 1]`.
            (default: :obj:`0.95`)

    Example:
        >>> fpr_at_tpr([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
        0.5
    """
    check_share("tpr", tpr, "(]")
    _, tp, fp = sweep(score, label)
    # The product may exceed an integer by a rounding error.
    enough = tp.double() >= tpr * int(tp[-1]) - 1e-9
    return float(fp[enough][0]) / int(fp[-1])


def detection_accuracy(score: Values, label: Values) -> float:
    r"""Returns the best mean of true positive and true negative rate over all
    thresholds, as in the `"Enhancing The Reliability of Out-of-distribution
    Image Detection in Neural Networks" <https://arxiv.org/abs/1706.02690>`_
    paper. The threshold is chosen by the labels, so the value is an upper
    bound.

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for the class of high scores.

    Example:
        >>> detection_accuracy([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
        0.75
    """
    fpr, tpr = roc_curve(score, label)
    return float((tpr + 1 - fpr).max() / 2)
