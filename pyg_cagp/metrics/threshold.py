r"""One threshold: what it flags, and how it is chosen on validation."""

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

#: The figure that a threshold maximises.
Gain: TypeAlias = Literal["f1", "accuracy"]


class Confusion(NamedTuple):
    r"""How many samples of each class were flagged, and how many were not."""

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
        r"""The share of samples that were flagged rightly, or rightly not."""
        return (self.true_positives + self.true_negatives) / sum(self)


def confusion(score: Values, label: Values, threshold: float) -> Confusion:
    r"""Counts what a threshold flags; one class may be missing.

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for what should score high.
        threshold (float): What scores at least as much is flagged.

    Example:
        >>> confusion([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1], 0.5).f1
        0.6666666666666666
    """
    if math.isnan(threshold):
        raise ValueError("'threshold' must be a number (got nan)")
    scores, labels = as_values("score", score), as_bits("label", label)
    check_same_length(score=scores, label=labels)
    flagged = scores >= threshold
    cells = (flagged & labels, flagged & ~labels, ~flagged & labels)
    return Confusion(
        *(int(cell.sum()) for cell in (*cells, ~flagged & ~labels))
    )


def best_threshold(score: Values, label: Values, *, by: Gain = "f1") -> float:
    r"""Returns the threshold that is best for the given samples, which are
    those of validation and never those of the evaluation.

    It lies midway between the lowest score that is flagged and the highest one
    that is not; of equally good ones the highest is taken.

    Args:
        score (torch.Tensor): The scores.
        label (torch.Tensor): The labels, 1 for what should score high.
        by (str, optional): What is made best: :obj:`"f1"`, or the mean of both
            classes' :obj:`"accuracy"`. (default: :obj:`"f1"`)

    Example:
        >>> best_threshold([0.0, 0.25, 0.75, 1.0], [0, 0, 1, 1])
        0.5
    """
    check_choice("by", by, Gain)
    threshold, tp, fp = sweep(score, label)
    if by == "f1":
        gain = 2 * tp / (tp + fp + tp[-1]).double()
    else:
        # In whole numbers, so that equally good ones are equal.
        gain = tp * fp[-1] - fp * tp[-1]
    best = int((gain == gain.max()).nonzero()[0])
    found = float(threshold[best])
    if best + 1 == threshold.numel():
        return found
    below = float(threshold[best + 1])
    middle = (found + below) / 2
    # Neighbouring floats have no middle, nor has infinity.
    return middle if below < middle <= found else found
