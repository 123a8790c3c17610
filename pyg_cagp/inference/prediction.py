r"""The answers of a query, with the uncertainty of each."""

import math
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_least
from pyg_cagp._utils.table import data_frame
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.inference.scores import KINDS
from pyg_cagp.nn.scoring.prediction import top_answers
from pyg_cagp.nn.scoring.softmax_terms import (
    AnswerTerms,
    SoftmaxTerms,
    softmax_terms,
)
from pyg_cagp.typing import Side

if TYPE_CHECKING:
    from pyg_cagp.inference.predictor import Predictor


@dataclass(frozen=True)
class Answer:
    r"""One answer of a query.

    Args:
        name (str): The name of the entity.
        score (float): The model's score.
        probability (float): The probability among all candidates.
        p_ood (float): The probability that its triple is out of distribution;
            :obj:`None` if it was not fitted.
        kind (str): The kind of its triple.
        in_set (bool): Whether it is in the conformal answer set.
        abstain (bool): Whether to abstain from it.
    """

    name: str
    score: float
    probability: float
    p_ood: float | None
    kind: str
    in_set: bool
    abstain: bool


@dataclass(frozen=True)
class Prediction:
    r"""The answers of a query, best first.

    Args:
        side (str): The requested side, :obj:`"tail"` or :obj:`"head"`.
        given (str): The name of the entity of the other side.
        relation (str): The name of the relation.
        answers (list): The best answers.
        set_size (int): The size of the conformal answer set.
        promised (float): The probability that such a set contains the right
            answer, for queries like those of validation.
        num_candidates (int): The number of candidates, which are all entities
            except known answers.
        num_known (int): The number of known answers, which are left out.
    """

    side: Side
    given: str
    relation: str
    answers: list[Answer]
    set_size: int
    promised: float
    num_candidates: int
    num_known: int

    def to_dict(self) -> dict[str, Any]:
        r"""Returns all fields, ready for JSON."""
        return asdict(self)

    def to_frame(self) -> Any:
        r"""Returns a :class:`pandas.DataFrame` with one row for each
        answer: head, relation and tail, then the fields of :class:`Answer`.
        """
        rows = [asdict(answer) for answer in self.answers]
        names = [row.pop("name") for row in rows]
        given = [self.given] * len(rows)
        ends = (given, names) if self.side == "tail" else (names, given)
        relation = [self.relation] * len(rows)
        columns = {"head": ends[0], "relation": relation, "tail": ends[1]}
        for key in [entry.name for entry in fields(Answer)][1:]:
            columns[key] = [row[key] for row in rows]
        return data_frame(columns)


@torch.no_grad()
def predict(
    predictor: "Predictor",
    head: str | None,
    relation: str | None,
    tail: str | None,
    k: int,
) -> Prediction:
    r"""Answers a query; see :meth:`Predictor.predict`."""
    side, name = _open_side(head, tail)
    if relation is None:
        raise InvalidInputError("'relation' must be given")
    check_least("k", k, 1)
    ids = predictor.entities.number(name), predictor.relations.number(relation)
    given, rel = torch.tensor(ids, device=predictor.device).split(1)
    size = predictor.model.num_nodes
    every = top_answers(
        predictor.model, side, given, rel, known=predictor.known, k=size
    )
    is_candidate = every.entity[0] >= 0
    conformal = predictor.document["conformal"]
    level = math.inf if conformal[side] is None else conformal[side]
    inside = is_candidate & (-every.log_prob[0] <= level)
    entity = every.entity[0][is_candidate][:k]
    score = every.score[0][is_candidate][:k]
    # The scores of the query give the terms of this side.
    terms = AnswerTerms(score.double(), every.logsumexp.expand(entity.numel()))
    columns = _answer_columns(predictor, side, given, rel, entity, terms)
    answers = zip(
        [predictor.entities[number] for number in entity.tolist()],
        score.tolist(),
        every.log_prob[0][is_candidate][:k].exp().tolist(),
        [None if math.isnan(p) else p for p in columns["p_ood"].tolist()],
        [KINDS[kind] for kind in columns["kind"].tolist()],
        inside[is_candidate][:k].tolist(),
        columns["abstain"].tolist(),
        strict=True,
    )
    num = int(is_candidate.sum())
    return Prediction(
        side=side,
        given=predictor.entities[int(given)],
        relation=predictor.relations[int(rel)],
        answers=[Answer(*answer) for answer in answers],
        set_size=int(inside.sum()),
        promised=1 - conformal["alpha"],
        num_candidates=num,
        num_known=size - num,
    )


def _answer_columns(
    predictor: "Predictor",
    side: Side,
    given: Tensor,
    rel: Tensor,
    entity: Tensor,
    terms: AnswerTerms,
) -> dict[str, Tensor]:
    r"""Returns the columns of the triples of answers. The candidates of the
    other side are scored at most once.
    """
    given, rel = given.expand_as(entity), rel.expand_as(entity)
    head, tail = (given, entity) if side == "tail" else (entity, given)
    other = [name for name in predictor.sides() if name != side]
    both = softmax_terms(
        predictor.model, head, rel, tail, sides=other, precision="scores"
    ).sides
    shared = SoftmaxTerms({**both, side: terms})
    return predictor.columns_of(head, rel, tail, shared)


def _open_side(head: str | None, tail: str | None) -> tuple[Side, str]:
    r"""Returns the requested side, and the name of the other one."""
    if head is not None and tail is None:
        return "tail", head
    if tail is not None and head is None:
        return "head", tail
    raise InvalidInputError(
        f"one of 'head' and 'tail' must be given, the other is predicted "
        f"(got {'neither' if head is None else 'both'})"
    )
