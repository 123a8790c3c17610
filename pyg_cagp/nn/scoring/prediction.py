r"""The best answers of a query."""

from typing import NamedTuple

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice, check_ids, check_same_shape
from pyg_cagp.data import AnswerIndex
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.nn.scoring.scorer import (
    ScorerLike,
    as_scorer,
    evaluating,
    finite_scores,
)
from pyg_cagp.nn.scoring.softmax_terms import log_total
from pyg_cagp.typing import Side


class Answers(NamedTuple):
    r"""The best candidates of each query, best first, of shape :obj:`[B, k]`.

    :obj:`log_prob` is the log-probability under a softmax over all candidates
    that were not left out. If a query has fewer than :math:`k` of them, the
    last entries have :obj:`entity` -1, and score and :obj:`log_prob`
    :math:`-\infty`. :obj:`logsumexp`, of shape :obj:`[B]`, is over all
    candidates.
    """

    entity: Tensor
    score: Tensor
    log_prob: Tensor
    logsumexp: Tensor


@torch.no_grad()
def top_answers(
    model: ScorerLike,
    side: Side,
    given: Tensor,
    rel_type: Tensor,
    *,
    known: AnswerIndex | None = None,
    k: int = 1,
    max_scores: int = 2**21,
) -> Answers:
    r"""Finds the :math:`k` best answers of :math:`(h, r, ?)` or
    :math:`(?, r, t)`.

    Args:
        model (Scorer or callable): The model; see :func:`as_scorer`.
        side (str): The side to answer, :obj:`"tail"` or :obj:`"head"`.
        given (torch.Tensor): The entities of the other side.
        rel_type (torch.Tensor): The relation types.
        known (AnswerIndex, optional): Known answers, which are left out.
            (default: :obj:`None`)
        k (int, optional): The number of answers to return. (default: :obj:`1`)
        max_scores (int, optional): The largest number of scores in memory.
            (default: :obj:`2097152`)

    Example:
        >>> from pyg_cagp import GaussianDistMult
        >>> model = GaussianDistMult(5, 2, hidden_channels=4)
        >>> head, rel = torch.tensor([0, 1]), torch.tensor([0, 0])
        >>> top_answers(model, "tail", head, rel, k=3).entity.shape
        torch.Size([2, 3])
    """
    check_choice("side", side, SIDES)
    scorer = as_scorer(model)
    if not 1 <= k <= scorer.num_nodes:
        raise InvalidInputError(
            f"'k' must lie in [1, {scorer.num_nodes}] (got {k})"
        )
    given = check_ids("given", given, scorer.num_nodes, "num_nodes")
    num = scorer.num_relations
    rel_type = check_ids("rel_type", rel_type, num, "num_relations")
    check_same_shape(given=given, rel_type=rel_type)
    size = max(1, max_scores // scorer.num_nodes)
    score = finite_scores(scorer, size)
    parts = []
    for start in range(0, rel_type.numel(), size):
        part = slice(start, start + size)
        query = side, given[part], rel_type[part]
        with evaluating(scorer):
            scores = score(*query)
        logsumexp = log_total(scores.clone(), precision="scores")
        if known is not None:
            scores[known.find(*query)] = -torch.inf
        best, entity = scores.topk(k, dim=1)
        # In single precision, probabilities close to 1 would be equal.
        total = scores.double().logsumexp(dim=1, keepdim=True)
        log_prob = best.double() - total
        left_out = best == -torch.inf
        log_prob = log_prob.masked_fill(left_out, -torch.inf)
        entity = entity.masked_fill(left_out, -1)
        parts.append(Answers(entity, best, log_prob, logsumexp))
    if not parts:
        none = torch.empty((0, k), device=given.device)
        return Answers(none.long(), none, none.double(), none[:, 0].double())
    return Answers(*map(torch.cat, zip(*parts, strict=True)))
