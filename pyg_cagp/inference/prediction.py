r"""Answers of a query, and how far to trust each."""

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import torch

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.inference.kinds import KINDS
from pyg_cagp.nn.scoring.prediction import top_answers
from pyg_cagp.typing import Side

if TYPE_CHECKING:
    from pyg_cagp.inference.predictor import Predictor


@dataclass(frozen=True)
class Answer:
    r"""One answer.

    Args:
        name (str): The name of the entity.
        score (float): The model's score.
        probability (float): Its probability among all answers that are not
            known already.
        doubt (float): The probability that the triple it makes is out of
            distribution; :obj:`None` where that could not be fitted.
        kind (str): The kind of that triple.
        in_set (bool): Whether it is in the conformal answer set.
        abstain (bool): Whether to leave it undecided.
    """

    name: str
    score: float
    probability: float
    doubt: float | None
    kind: str
    in_set: bool
    abstain: bool


@dataclass(frozen=True)
class Prediction:
    r"""The answers of a query, best first.

    Args:
        side (str): What was asked for, :obj:`"tail"` or :obj:`"head"`.
        given (str): The name of the entity of the other side.
        relation (str): The name of the relation.
        answers (list): The best answers.
        set_size (int): The size of the conformal answer set.
        promised (float): How often such a set holds the right answer, if the
            query is like those of validation.
        num_candidates (int): How many answers are not known already.
        num_known (int): How many are, and were left out.
    """

    side: str
    given: str
    relation: str
    answers: list[Answer]
    set_size: int
    promised: float
    num_candidates: int
    num_known: int

    def to_dict(self) -> dict[str, Any]:
        r"""Returns all of it, ready for JSON."""
        return asdict(self)


@torch.no_grad()
def predict(
    predictor: "Predictor",
    head: str | None,
    relation: str | None,
    tail: str | None,
    k: int,
) -> Prediction:
    r"""Answers a query; see :meth:`Predictor.predict`."""
    if (head is None) == (tail is None):
        got = "neither" if head is None else "both"
        raise InvalidInputError(
            f"one of 'head' and 'tail' must be given, and the other is asked "
            f"for (got {got})"
        )
    if relation is None:
        raise InvalidInputError("'relation' must be given")
    if k < 1:
        raise InvalidInputError(f"'k' must be positive (got {k})")
    side: Side = "tail" if tail is None else "head"
    name = head if head is not None else tail
    assert name is not None
    given = torch.tensor(
        [predictor.number_of("entity", name)], device=predictor.device
    )
    rel = torch.tensor(
        [predictor.number_of("relation", relation)], device=predictor.device
    )
    size = predictor.model.num_nodes
    every = top_answers(
        predictor.model, side, given, rel, predictor.known, k=size
    )
    left = every.entity[0] >= 0
    num = int(left.sum())
    level = predictor.document["conformal"][side]
    inside = left & (
        -every.log_prob[0] <= (math.inf if level is None else level)
    )
    entity = every.entity[0][left][:k]
    ends = (given, entity) if side == "tail" else (entity, given)
    triples = [part.expand_as(entity) for part in (ends[0], rel, ends[1])]
    judged = predictor.judge(*triples)
    answers = [
        Answer(
            name=predictor.entities[number],
            score=score,
            probability=math.exp(log_prob),
            doubt=None if math.isnan(doubt) else doubt,
            kind=KINDS[kind],
            in_set=in_set,
            abstain=abstain,
        )
        for number, score, log_prob, in_set, doubt, kind, abstain in zip(
            entity.tolist(),
            every.score[0][left][:k].tolist(),
            every.log_prob[0][left][:k].tolist(),
            inside[left][:k].tolist(),
            judged["doubt"].tolist(),
            judged["kind"].tolist(),
            judged["abstain"].tolist(),
            strict=True,
        )
    ]
    return Prediction(
        side=side,
        given=predictor.entities[int(given)],
        relation=predictor.relations[int(rel)],
        answers=answers,
        set_size=int(inside.sum()),
        promised=1 - predictor.document["conformal"]["alpha"],
        num_candidates=num,
        num_known=size - num,
    )
