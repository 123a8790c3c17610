r"""The table of scored triples."""

# ruff: noqa: RUF009 (each call makes a field)

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import torch
from torch import Tensor

from pyg_cagp._utils.table import data_frame
from pyg_cagp.coverage import Coverage
from pyg_cagp.coverage.kinds import KINDS as KNOWN_KINDS
from pyg_cagp.protocols import kind_of

#: The kinds of triples, by number.
KINDS = (*KNOWN_KINDS, "unknown entity", "unknown relation")
UNKNOWN_ENTITY, UNKNOWN_RELATION = 3, 4


def kinds_of(
    coverage: Coverage,
    tau: float,
    head: Tensor,
    rel: Tensor,
    tail: Tensor,
    *,
    inclusive: bool = False,
) -> Tensor:
    r"""Returns the kind of each triple; an id of -1 is unknown. An unknown
    entity takes precedence over an unknown relation.
    """
    kind = torch.zeros_like(rel)
    kind[rel < 0] = UNKNOWN_RELATION
    kind[(head < 0) | (tail < 0)] = UNKNOWN_ENTITY
    known = kind == 0
    triples = head[known], rel[known], tail[known]
    kind[known] = kind_of(coverage, tau, *triples, inclusive=inclusive)
    return kind


def _column(kind: type, help: str) -> Any:
    return field(metadata={"kind": kind, "help": help})


@dataclass(frozen=True, eq=False)
class ScoreTable:
    r"""The scores of triples, one row for each. :obj:`COLUMNS` describes the
    columns.

    Numbers are :obj:`torch.double`. All numbers of a triple with an unknown
    name are NaN, and so is :obj:`p_ood` if it was not fitted.
    """

    head: Sequence[str] = _column(str, "the head, as given")
    relation: Sequence[str] = _column(str, "the relation, as given")
    tail: Sequence[str] = _column(str, "the tail, as given")
    score: Tensor = _column(
        float, "the model's score, higher for more plausible triples"
    )
    probability: Tensor = _column(
        float, "the probability of the tail: a softmax over all tails"
    )
    semantic: Tensor = _column(
        float, "the semantic uncertainty (0 to 2 when the run was trained)"
    )
    structural: Tensor = _column(
        float, "the number of uncovered entity-relation pairs (0 to 2)"
    )
    cagp: Tensor = _column(float, "the sum of both, weighted by CAGP")
    p_ood: Tensor = _column(
        float, "the probability of being out of distribution"
    )
    kind: Tensor = _column(str, f"one of: {', '.join(KINDS)}")
    abstain: Tensor = _column(bool, "whether to abstain from the triple")

    def columns(self) -> dict[str, list[Any]]:
        r"""Returns all columns as lists: missing numbers as :obj:`None`, kinds
        by their names.
        """
        columns: dict[str, list[Any]] = {}
        for name, about in COLUMNS.items():
            column = getattr(self, name)
            values = column.tolist() if isinstance(column, Tensor) else column
            if name == "kind":
                values = [KINDS[kind] for kind in values]
            elif about["kind"] is float:
                values = [None if math.isnan(v) else v for v in values]
            columns[name] = list(values)
        return columns

    def to_frame(self) -> Any:
        r"""Returns a :class:`pandas.DataFrame` with these columns."""
        return data_frame(self.columns())

    def counts(self) -> dict[str, int]:
        r"""Returns the number of triples of each kind."""
        number = torch.bincount(self.kind, minlength=len(KINDS)).tolist()
        return dict(zip(KINDS, number, strict=True))

    def __len__(self) -> int:
        return len(self.head)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({len(self)} triples)"


#: The columns by name: the type of their values as :obj:`"kind"`, and their
#: meaning as :obj:`"help"`.
COLUMNS = {column.name: column.metadata for column in fields(ScoreTable)}

#: The columns of numbers.
NUMBERS = [name for name in COLUMNS if COLUMNS[name]["kind"] is float]
