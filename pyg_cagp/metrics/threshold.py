r"""The counts of a threshold, and the choice of a threshold."""

import math
from typing import Literal, NamedTuple, TypeAlias

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.metrics.detection import sweep
from pyg_cagp.metrics.inputs import (
    Values,
    as_bits,
    as_values,
    check_same_length,
)

#: The metric that a threshold maximises.
Gain: TypeAlias = Literal["f1", "accuracy"]


class Confusion(NamedTuple):
    r"""The numbers of flagged and other samples of each class."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @property
    def f1(self) -> float:
        r"""The harmonic mean of precision and recall; 0 without either."""
        tp, fp, fn, _ = self
        return 2 * tp / (2 * tp + fp + fn) if tp else 0.0

    @property
    def accuracy(self) -> float:
        r"""The share of true positives and true negatives."""
        return (self.true_positives + self.true_negatives) / sum(self)


def confusion(score: Values, label: Values, threshold: float) -> Confusion:
    r"""Counts the samples that a threshold flags; one class may be missing.

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for the class of high scores.
        threshold (float): Samples of at least this score are flagged.

    Example:
        >>> confusion([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], 0.5).f1
        0.6666666666666666
    """
    if math.isnan(threshold):
        raise ValueError("'threshold' must be a number (got nan)")
    scores, labels = as_values("score", score), as_bits("label", label)
    check_same_length(score=scores, label=labels)
    flagged = scores >= threshold
    masks = (
        flagged & labels,
        flagged & ~labels,
        ~flagged & labels,
        ~flagged & ~labels,
    )
    return Confusion(*(int(mask.sum()) for mask in masks))


def best_threshold(score: Values, label: Values, *, by: Gain = "f1") -> float:
    r"""Returns the best threshold for samples of validation, which must not be
    those of the evaluation.

    It lies midway between the lowest score that is flagged and the highest one
    that is not. The highest of equally good thresholds is returned.

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for the class of high scores.
        by (str, optional): The metric: :obj:`"f1"`, or the mean
            :obj:`"accuracy"` of both classes. (default: :obj:`"f1"`)

    Example:
        >>> best_threshold([0.0, 0.25, 0.75, 1.0], [0, 0, 1, 1])
        0.5
    """
    check_choice("by", by, Gain)
    threshold, tp, fp = sweep(score, label)
    if by == "f1":
        gain = 2 * tp / (tp + fp + tp[-1]).double()
    else:
        # Integers, so that equally good thresholds have equal gains.
        gain = tp * fp[-1] - fp * tp[-1]
    best = int((gain == gain.max()).nonzero()[0])
    lowest = float(threshold[best])
    if best + 1 == threshold.numel():
        return lowest
    below = float(threshold[best + 1])
    middle = (lowest + below) / 2
    # There is no midpoint of neighbouring floats, or with infinity.
    return middle if below < middle <= lowest else lowest
