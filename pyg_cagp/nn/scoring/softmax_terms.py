r"""The probability of an answer among all candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice, check_triples
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.nn.scoring.scorer import (
    CandidateScores,
    ScorerLike,
    as_scorer,
    evaluating,
    finite_scores,
)
from pyg_cagp.typing import Side

#: The precision of exponentials: double, or that of the scores.
Precision: TypeAlias = Literal["double", "scores"]


class AnswerTerms(NamedTuple):
    r"""The score of each answer, and the logarithm of the sum of exponentials
    of all candidates' scores, both as :obj:`torch.double`.
    """

    score: Tensor
    logsumexp: Tensor

    def log_prob(self) -> Tensor:
        r"""Returns the log-probability of each answer."""
        return self.score - self.logsumexp


@dataclass(frozen=True)
class SoftmaxTerms:
    r"""The terms of a batch of triples: those of the tail among all tails, and
    of the head among all heads.

    Args:
        sides (dict): The :class:`AnswerTerms` of each side.
    """

    sides: Mapping[Side, AnswerTerms]

    @property
    def tail(self) -> AnswerTerms:
        r"""The terms of the tails."""
        return self._side("tail")

    @property
    def head(self) -> AnswerTerms:
        r"""The terms of the heads."""
        return self._side("head")

    def __getitem__(self, rows: Tensor | slice) -> "SoftmaxTerms":
        return SoftmaxTerms(
            {
                side: AnswerTerms(*(column[rows] for column in columns))
                for side, columns in self.sides.items()
            }
        )

    def _side(self, side: Side) -> AnswerTerms:
        if side not in self.sides:
            raise InvalidInputError(
                f"'terms' have no side '{side}' (got {tuple(self.sides)}); "
                f"pass sides=('tail', 'head') to 'softmax_terms'"
            )
        return self.sides[side]


@torch.no_grad()
def softmax_terms(
    model: ScorerLike,
    head_index: Tensor,
    rel_type: Tensor,
    tail_index: Tensor,
    *,
    sides: Sequence[Side] = SIDES,
    temperature: float = 1.0,
    precision: Precision = "double",
    max_scores: int = 2**21,
) -> SoftmaxTerms:
    r"""Returns the terms of a softmax over all entities as answers. Estimators
    that read scores share these terms. Triples with the same query share its
    scores.

    Args:
        model (Scorer or callable): The model; see :func:`as_scorer`.
        head_index (torch.Tensor): The head indices, of shape :obj:`[B]`.
        rel_type (torch.Tensor): The relation types, of shape :obj:`[B]`.
        tail_index (torch.Tensor): The tail indices, of shape :obj:`[B]`.
        sides (sequence, optional): The sides to answer, of :obj:`"tail"` and
            :obj:`"head"`. (default: :obj:`("tail", "head")`)
        temperature (float, optional): The divisor of the scores.
            (default: :obj:`1.0`)
        precision (str, optional): The precision of exponentials:
            :obj:`"double"`, or :obj:`"scores"` for a tenth of the time.
            (default: :obj:`"double"`)
        max_scores (int, optional): The largest number of scores in memory.
            (default: :obj:`2097152`)

    Example:
        >>> from torch_geometric.nn.kge import DistMult
        >>> model = DistMult(5, 2, hidden_channels=4)
        >>> zero = torch.zeros(5, dtype=torch.long)
        >>> terms = softmax_terms(model, zero, zero, torch.arange(5))
        >>> round(float(terms.tail.log_prob().exp().sum()), 4)
        1.0
    """
    for side in sides:
        check_choice("sides", side, SIDES)
    check_choice("precision", precision, get_args(Precision))
    scorer = as_scorer(model)
    head, rel, tail = check_triples(
        head_index, rel_type, tail_index, scorer.num_nodes, scorer.num_relations
    )
    size = max(1, max_scores // scorer.num_nodes)
    score = finite_scores(scorer, size)
    terms_by_side = {}
    with evaluating(scorer):
        for side in sides:
            given, answer = (head, tail) if side == "tail" else (tail, head)
            columns = given, rel, answer
            form = scorer.num_relations, temperature, precision, size
            terms_by_side[side] = _terms(score, side, columns, *form)
    return SoftmaxTerms(terms_by_side)


def _terms(
    score: CandidateScores,
    side: Side,
    triples: tuple[Tensor, Tensor, Tensor],
    num_relations: int,
    temperature: float,
    precision: Precision,
    size: int,
) -> AnswerTerms:
    given, rel, answer = triples
    query, place = (given * num_relations + rel).unique(return_inverse=True)
    order = place.argsort(stable=True)
    steps = torch.arange(0, query.numel() + size, size, device=place.device)
    ends = torch.searchsorted(place[order].contiguous(), steps).tolist()
    shape = (2, given.numel())
    terms = torch.empty(shape, dtype=torch.double, device=given.device)
    for number, start in enumerate(range(0, query.numel(), size)):
        part = query[start : start + size]
        scores = score(side, part // num_relations, part % num_relations)
        rows = order[ends[number] : ends[number + 1]]
        local = place[rows] - start
        terms[0, rows] = scores[local, answer[rows]].double() / temperature
        terms[1, rows] = log_total(scores, temperature, precision)[local]
    return AnswerTerms(terms[0], terms[1])


def log_total(
    scores: Tensor, temperature: float = 1.0, precision: Precision = "double"
) -> Tensor:
    r"""Returns the logarithm of the sum of exponentials of each row, as
    :obj:`torch.double`. Sums are of double precision, so that small
    exponentials are not lost. Exponentials in the precision of the scores
    take about a tenth of the time, change the result by about
    :math:`10^{-7}`, and overwrite the scores.
    """
    if precision == "double":
        return (scores.double() / temperature).logsumexp(dim=1)
    top = scores.amax(dim=1, keepdim=True)
    share = scores.sub_(top)
    if temperature != 1:
        share.div_(temperature)
    total = share.exp_().sum(dim=1, dtype=torch.double)
    return top[:, 0].double() / temperature + total.log()
