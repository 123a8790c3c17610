r"""The scores of triples, column by column."""

# ruff: noqa: RUF009 (each call makes a field)

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import torch
from torch import Tensor

from pyg_cagp.inference.kinds import KINDS


def _column(kind: type, help: str) -> Any:
    return field(metadata={"kind": kind, "help": help})


@dataclass(frozen=True, eq=False)
class ScoreTable:
    r"""The scores of triples by a run, one row each. The fields are the
    columns of every table, file and help text; :obj:`COLUMNS` describes them.

    Numbers are :obj:`torch.double`, and NaN where there is none: for triples
    with an unknown name, and in :obj:`doubt` where it could not be fitted.
    """

    h: Sequence[str] = _column(str, "the head, as it was given")
    r: Sequence[str] = _column(str, "the relation, as it was given")
    t: Sequence[str] = _column(str, "the tail, as it was given")
    score: Tensor = _column(
        float, "the model's score, higher for what is more plausible"
    )
    probability: Tensor = _column(
        float, "that of the tail among all tails, by a softmax of their scores"
    )
    semantic: Tensor = _column(
        float, "the semantic uncertainty (0 to 2 when the run was trained)"
    )
    structural: Tensor = _column(
        float, "the number of entity-relation pairs not seen (0 to 2)"
    )
    total: Tensor = _column(float, "their weighted sum by CAGP")
    doubt: Tensor = _column(
        float, "the probability of being out of distribution"
    )
    kind: Tensor = _column(str, f"one of: {', '.join(KINDS)}")
    abstain: Tensor = _column(bool, "whether to leave the triple undecided")

    def columns(self) -> dict[str, list[Any]]:
        r"""Returns all columns as lists: numbers that are missing as
        :obj:`None`, kinds by their names.
        """
        found: dict[str, list[Any]] = {}
        for name in COLUMNS:
            column = getattr(self, name)
            if name == "kind":
                found[name] = [KINDS[kind] for kind in column.tolist()]
            elif isinstance(column, Tensor) and column.is_floating_point():
                found[name] = [
                    None if math.isnan(value) else value
                    for value in column.tolist()
                ]
            else:
                found[name] = (
                    column.tolist()
                    if isinstance(column, Tensor)
                    else list(column)
                )
        return found

    def counts(self) -> dict[str, int]:
        r"""Returns how many triples of each kind there are."""
        number = torch.bincount(self.kind, minlength=len(KINDS)).tolist()
        return dict(zip(KINDS, number, strict=True))

    def __len__(self) -> int:
        return len(self.h)


#: The columns by name: the :obj:`"kind"` of their values (:class:`str`,
#: :class:`float` or :class:`bool`) and their meaning, as :obj:`"help"`.
COLUMNS = {column.name: column.metadata for column in fields(ScoreTable)}
