r"""Metrics of the ranks of right answers among all candidates.

An answer with :math:`a` candidates of higher and :math:`b` others of equal
score has the optimistic rank :math:`a + 1` and the pessimistic rank
:math:`a + b + 1`. A *realistic* metric is the mean over all ranks from one to
the other, so that equal scores of all candidates give the value of random
guessing.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.metrics.inputs import (
    Values,
    as_values,
    check_positive,
    check_rows,
    check_same_length,
)
from pyg_cagp.typing import Ties


def _counts(higher: Values, equal: Values, ties: Ties) -> tuple[Tensor, Tensor]:
    check_choice("ties", ties, Ties)
    above = as_values("higher", higher, finite=True)
    tied = as_values("equal", equal, finite=True)
    check_same_length(higher=above, equal=tied)
    for name, count in (("higher", above), ("equal", tied)):
        valid = (count >= 0) & (count == count.floor())
        check_rows(name, count, valid, "hold counts")
    if ties == "optimistic":
        return above, torch.zeros_like(above)
    if ties == "pessimistic":
        return above + tied, torch.zeros_like(above)
    return above, tied


def ranks(higher: Values, equal: Values, *, ties: Ties = "realistic") -> Tensor:
    r"""Returns the rank of each answer, counted from 1: :math:`a + 1`
    (optimistic), :math:`a + b + 1` (pessimistic) or :math:`a + 1 + b / 2`
    (realistic), with :math:`a` candidates of higher score and :math:`b` of
    equal score.

    Args:
        higher (torch.Tensor): The number of candidates of higher score.
        equal (torch.Tensor): The number of other candidates of equal score.
        ties (str, optional): :obj:`"realistic"`, :obj:`"optimistic"` or
            :obj:`"pessimistic"`. (default: :obj:`"realistic"`)

    Example:
        >>> ranks([0, 2], [0, 3])
        tensor([1.0000, 4.5000], dtype=torch.float64)
    """
    above, tied = _counts(higher, equal, ties)
    return 1 + above + tied / 2


def reciprocal_ranks(
    higher: Values, equal: Values, *, ties: Ties = "realistic"
) -> Tensor:
    r"""Returns the reciprocal rank of each answer; with ties, its mean over all
    ranks that they allow. It is larger than the reciprocal of the mean rank.

    .. math::
        \frac{1}{b + 1} \sum_{k = a + 1}^{a + b + 1} \frac{1}{k}

    Args:
        higher (torch.Tensor): The number of candidates of higher score.
        equal (torch.Tensor): The number of other candidates of equal score.
        ties (str, optional): :obj:`"realistic"`, :obj:`"optimistic"` or
            :obj:`"pessimistic"`. (default: :obj:`"realistic"`)

    Example:
        >>> reciprocal_ranks([0, 1], [1, 0])
        tensor([0.7500, 0.5000], dtype=torch.float64)
    """
    above, tied = _counts(higher, equal, ties)
    harmonic = torch.digamma(above + tied + 2) - torch.digamma(above + 1)
    return torch.where(tied == 0, 1 / (above + 1), harmonic / (tied + 1))


def hits(
    higher: Values, equal: Values, k: int, *, ties: Ties = "realistic"
) -> Tensor:
    r"""Returns the probability of each answer to be among the first :math:`k`.

    Args:
        higher (torch.Tensor): The number of candidates of higher score.
        equal (torch.Tensor): The number of other candidates of equal score.
        k (int): The largest rank that counts.
        ties (str, optional): :obj:`"realistic"`, :obj:`"optimistic"` or
            :obj:`"pessimistic"`. (default: :obj:`"realistic"`)

    Example:
        >>> hits([0, 2, 0], [0, 0, 3], k=1)
        tensor([1.0000, 0.0000, 0.2500], dtype=torch.float64)
    """
    check_positive("k", k)
    above, tied = _counts(higher, equal, ties)
    return ((k - above) / (tied + 1)).clamp(0, 1)


def ranking_metrics(
    higher: Values,
    equal: Values,
    num_candidates: Values,
    *,
    ks: Sequence[int] = (1, 3, 10),
    ties: Ties = "realistic",
) -> dict[str, float]:
    r"""Returns the mean rank, the mean reciprocal rank, the share of hits, and
    the mean rank adjusted for chance, of the `"On the Ambiguity of Rank-Based
    Evaluation of Entity Alignment or Link Prediction Methods"
    <https://arxiv.org/abs/2002.06914>`_ paper.

    .. math::
        \text{AMR} = \frac{\sum_i \text{rank}_i}{\sum_i (n_i + 1) / 2}, \quad
        \text{AMRI} = 1 - \frac{\sum_i (\text{rank}_i - 1)}
        {\sum_i (n_i - 1) / 2}

    Random guessing has an AMR of 1 and an AMRI of 0. The best AMR is near 0,
    the best AMRI is 1.

    Args:
        higher (torch.Tensor): The number of candidates of higher score.
        equal (torch.Tensor): The number of other candidates of equal score.
        num_candidates (torch.Tensor): The number of candidates of each
            answer, with the answer.
        ks (sequence, optional): The largest ranks of hits.
            (default: :obj:`(1, 3, 10)`)
        ties (str, optional): :obj:`"realistic"`, :obj:`"optimistic"` or
            :obj:`"pessimistic"`. (default: :obj:`"realistic"`)

    Example:
        >>> result = ranking_metrics([0, 3], [0, 0], [5, 5], ks=(1,))
        >>> result["mrr"], result["mean_rank"], result["hits@1"], result["amri"]
        (0.625, 2.5, 0.5, 0.25)
    """
    rank = ranks(higher, equal, ties=ties)
    num = as_values("num_candidates", num_candidates, finite=True)
    worst = ranks(higher, equal, ties="pessimistic")
    check_same_length(higher=rank, num_candidates=num)
    valid = (num >= worst) & (num == num.floor())
    check_rows("num_candidates", num, valid, "be counts, no less than the rank")
    others = float((num - 1).sum())
    shares = {k: hits(higher, equal, k, ties=ties).mean() for k in ks}
    return {
        "mrr": float(reciprocal_ranks(higher, equal, ties=ties).mean()),
        "mean_rank": float(rank.mean()),
        **{f"hits@{k}": float(share) for k, share in shares.items()},
        "amr": float(rank.sum() / ((num + 1) / 2).sum()),
        "amri": 1 - 2 * float((rank - 1).sum()) / others if others else 0.0,
    }
