r"""Thresholds of answer sets with a guaranteed coverage.

A *nonconformity* score is high for implausible answers. The set of all answers
up to the threshold contains the right one with a probability of at least
:math:`1 - \alpha`, if the query is exchangeable with those of calibration.
Queries of emerging entities or novel contexts are not exchangeable.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.metrics.inputs import (
    Values,
    as_groups,
    as_values,
    check_rows,
    check_same_length,
    check_share,
)
from pyg_cagp.typing import Fallback


def conformal_threshold(nonconformity: Values, *, alpha: float = 0.1) -> float:
    r"""Returns the finite-sample quantile of split conformal prediction: the
    :math:`\lceil (n + 1)(1 - \alpha) \rceil`-th smallest score, or infinity if
    there are fewer scores.

    Args:
        nonconformity (torch.Tensor): The scores of the right answers.
        alpha (float, optional): The share of sets that may lack the
            right answer. (default: :obj:`0.1`)

    Example:
        >>> conformal_threshold([0.3, 0.1, 0.2, 0.4], alpha=0.4)
        0.3
        >>> conformal_threshold([0.3, 0.1, 0.2, 0.4], alpha=0.1)
        inf
    """
    check_share("alpha", alpha)
    scores = as_values("nonconformity", nonconformity)
    # (n + 1)(1 - alpha) may exceed an integer by a rounding error.
    place = max(1, math.ceil((scores.numel() + 1) * (1 - alpha) - 1e-9))
    if place > scores.numel():
        return math.inf
    return float(scores.kthvalue(place).values)


def mondrian_thresholds(
    nonconformity: Values,
    group: Tensor | Sequence[int],
    num_groups: int,
    *,
    alpha: float = 0.1,
    fallback: Fallback = "everything",
) -> Tensor:
    r"""Returns one threshold for each group, such as each relation, so that the
    guarantee holds within each group.

    Args:
        nonconformity (torch.Tensor): The scores of the right answers.
        group (torch.Tensor): The group of each, in :obj:`[0, num_groups)`.
        num_groups (int): The number of groups.
        alpha (float, optional): The share of sets that may lack the
            right answer. (default: :obj:`0.1`)
        fallback (str, optional): The threshold of groups with too few scores:
            :obj:`"everything"`, infinity, which satisfies the guarantee, or
            :obj:`"pooled"`, that of all groups together, which does not.
            (default: :obj:`"everything"`)

    Example:
        >>> mondrian_thresholds([0.1, 0.2, 0.9], [0, 0, 1], 2, alpha=0.5)
        tensor([0.2000, 0.9000], dtype=torch.float64)
    """
    check_share("alpha", alpha)
    check_choice("fallback", fallback, Fallback)
    scores = as_values("nonconformity", nonconformity)
    group = as_groups("group", group).to(scores.device)
    check_same_length(nonconformity=scores, group=group)
    valid = (group >= 0) & (group < num_groups)
    check_rows("group", group, valid, f"lie in [0, {num_groups})")
    # Sorted by score, then stably by group: the scores of a group ascend.
    order = scores.argsort()
    order = order[group[order].argsort(stable=True)]
    size = torch.bincount(group, minlength=num_groups)
    first = size.cumsum(0) - size
    place = torch.ceil((size + 1).double() * (1 - alpha) - 1e-9)
    place = place.long().clamp(min=1)
    enough = place <= size
    default = math.inf
    if fallback == "pooled":
        default = conformal_threshold(scores, alpha=alpha)
    thresholds = scores.new_full((num_groups,), default)
    thresholds[enough] = scores[order[(first + place - 1)[enough]]]
    return thresholds
