r"""Tables of triples, and the names that their columns may have."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pyg_cagp.exceptions import DatasetFormatError

#: The endings of files that hold triples.
_TEXTS = (".txt", ".tsv", ".csv")
SUFFIXES = (*_TEXTS, *(f"{text}.gz" for text in _TEXTS), ".parquet")

#: The names of the three columns of a triple in a header.
ROLES = {
    "head": {"head", "subject", "source", "src"},
    "relation": {"relation", "rel", "predicate", "edge_type", "type"},
    "tail": {"tail", "object", "target", "dst"},
}
# A line "s p o" of three columns may be a triple, so these are names only in
# wider tables and in Parquet files, which always name their columns.
_SHORT = {"head": {"h", "s"}, "relation": {"r", "p"}, "tail": {"t", "o"}}

#: The meaning of a fourth column, by its name.
EXTRAS = {
    **dict.fromkeys(("time", "date", "timestamp", "year", "edge_time"), "time"),
    **dict.fromkeys(
        ("confidence", "conf", "weight", "probability", "edge_confidence"),
        "confidence",
    ),
}


@dataclass(frozen=True, eq=False)
class TripleTable:
    r"""Rows of one file, with entities and relations as names."""

    line: array  #: The number of each row in the file, counted from one.
    path: Path
    extra_kind: str | None  #: Time or confidence, if a header names it.
    head: list[str]
    relation: list[str]
    tail: list[str]
    extra: list[str] | None = None  #: The fourth column, if any.

    def __len__(self) -> int:
        return len(self.head)

    def __getitem__(self, rows: slice) -> "TripleTable":
        line, *columns = (column[rows] for column in self._columns())
        return TripleTable(line, self.path, self.extra_kind, *columns)

    def __delitem__(self, rows: int | slice) -> None:
        for column in self._columns():
            del column[rows]

    def extend(self, other: "TripleTable") -> None:
        r"""Appends further rows of the same file."""
        pairs = zip(self._columns(), other._columns(), strict=True)
        for column, more in pairs:
            column.extend(more)

    def _columns(self) -> list[Any]:
        columns = [self.line, self.head, self.relation, self.tail]
        return columns if self.extra is None else [*columns, self.extra]

    def where(self, row: int) -> str:
        r"""Returns the file and the line of a row, for messages."""
        unit = "row" if table_suffix(self.path) == ".parquet" else "line"
        return f"'{self.path}', {unit} {self.line[row]}"


class Columns(NamedTuple):
    r"""The positions of the columns of a triple among all columns."""

    places: list[int]  #: Of head, relation and tail, and of a fourth, if any.
    extra_kind: str | None = None


def table_suffix(path: Path) -> str | None:
    r"""Returns the ending of a file if it is one of :obj:`SUFFIXES`."""
    name = path.name.lower()
    return max((s for s in SUFFIXES if name.endswith(s)), key=len, default=None)


def find_columns(
    names: Sequence[str], where: str, extra: bool, is_header: bool = False
) -> Columns:
    r"""Returns the columns of a triple in a header, in any order and among
    others. Returns no columns if the row is not a header.
    """
    # Parquet files made of text may have its byte order mark in a name.
    plain = [name.lstrip("\ufeff").strip().lower() for name in names]
    short = is_header or len(plain) > 4
    matches = {
        role: [
            place
            for place, name in enumerate(plain)
            if name in allowed or (short and name in _SHORT[role])
        ]
        for role, allowed in ROLES.items()
    }
    if not is_header and sum(map(bool, matches.values())) < 2:
        return Columns([])
    for role, places in matches.items():
        if len(places) != 1:
            otherwise = "; if this line is a triple, move it below another one"
            raise DatasetFormatError(
                f"{where} must name one column '{role}' (got "
                f"{', '.join(names)}){'' if is_header else otherwise}"
            )
    triple = [places[0] for places in matches.values()]
    fourth = [i for i, name in enumerate(plain) if extra and name in EXTRAS]
    if len(fourth) > 1:
        raise DatasetFormatError(
            f"{where} names more than one column of times or confidences (got "
            f"{', '.join(names[i] for i in fourth)}); leave one"
        )
    kind = EXTRAS[plain[fourth[0]]] if fourth else None
    return Columns(triple + fourth, kind)
