r"""Tables of triples in text, CSV or Parquet files, plain or gzipped."""

from dataclasses import dataclass
from pathlib import Path

from pyg_cagp.data.parquet import read_columns
from pyg_cagp.data.text import line_of, split_columns
from pyg_cagp.exceptions import DatasetFormatError

#: The endings of the files that :func:`read_table` reads.
SUFFIXES = (
    ".txt",
    ".tsv",
    ".csv",
    ".txt.gz",
    ".tsv.gz",
    ".csv.gz",
    ".parquet",
)

#: What the columns of a triple may be called in a header.
ROLES = {
    "head": {"head", "subject", "source", "src"},
    "relation": {"relation", "rel", "predicate", "edge_type", "type"},
    "tail": {"tail", "object", "target", "dst"},
}
# A line "s p o" of a text file may well be a triple, so these are names only
# where columns are sure to have names.
_SHORT = {"head": {"h", "s"}, "relation": {"r", "p"}, "tail": {"t", "o"}}

#: What a fourth column means, by its name.
EXTRAS = {
    **dict.fromkeys(("time", "date", "timestamp", "year", "edge_time"), "time"),
    **dict.fromkeys(
        ("confidence", "conf", "weight", "probability", "edge_confidence"),
        "confidence",
    ),
}


@dataclass(frozen=True)
class TripleTable:
    r"""The columns of one file, as names that are not yet numbered."""

    head: list[str]
    relation: list[str]
    tail: list[str]
    extra: list[str] | None  #: The fourth column, where there is one.
    extra_kind: str | None  #: What the header calls it: time or confidence.
    path: Path
    header: bool = False  #: Whether the first line is a header.

    def __len__(self) -> int:
        return len(self.head)

    def where(self, row: int) -> str:
        r"""Names the file and the line of a row, for messages."""
        if table_suffix(self.path) == ".parquet":
            return f"'{self.path}', row {row + 1}"
        return f"'{self.path}', line {line_of(self.path, row + self.header)}"


def table_suffix(path: Path) -> str | None:
    r"""Returns which of :obj:`SUFFIXES` the name of a file ends in."""
    name = path.name.lower()
    return max((s for s in SUFFIXES if name.endswith(s)), key=len, default=None)


def read_table(path: str | Path) -> TripleTable:
    r"""Reads a table of triples with three columns, or with four.

    Text is UTF-8 with LF or CRLF line ends. Columns are head, relation, tail,
    and possibly time or confidence, in this order, unless a first line such as
    :obj:`source, target, type, date` names them in another. Further columns of
    a Parquet file are passed over.

    Args:
        path (str or pathlib.Path): A file with one of the endings
            :obj:`SUFFIXES`.
    """
    path = Path(path)
    suffix = table_suffix(path)
    if suffix is None:
        raise DatasetFormatError(
            f"'{path}' is not a table of triples: its name must end in one of "
            f"{', '.join(SUFFIXES)}"
        )
    if suffix == ".parquet":
        roles = {role: ROLES[role] | _SHORT[role] for role in ROLES}
        columns, kind = read_columns(path, roles, EXTRAS)
        return _make_table(columns, path, kind)
    return _from_text(split_columns(path), path)


def _from_text(columns: list[list[str]], path: Path) -> TripleTable:
    if not columns:
        raise DatasetFormatError(f"'{path}' holds no triple")
    first = [column[0].strip().lower() for column in columns]
    found = {
        role: [i for i, name in enumerate(first) if name in names]
        for role, names in ROLES.items()
    }
    known = sum(bool(places) for places in found.values())
    if known < 2:
        return _make_table(columns, path)
    if known < 3 or sum(map(len, found.values())) > 3:
        raise DatasetFormatError(
            f"'{path}', line 1 looks like a header ({', '.join(first)}); call "
            f"its columns head, relation and tail or, if it is a triple, move "
            f"it to another line"
        )
    order = [places[0] for places in found.values()]
    extra = [i for i in range(len(columns)) if i not in order]
    kind = None
    for name in (first[i] for i in extra):
        if name not in EXTRAS:
            raise DatasetFormatError(
                f"'{path}': the header calls the fourth column '{name}'; call "
                f"it 'time' or 'confidence'"
            )
        kind = EXTRAS[name]
    columns = [columns[i][1:] for i in order + extra]
    return _make_table(columns, path, kind, header=True)


def _make_table(
    columns: list[list[str]],
    path: Path,
    kind: str | None = None,
    header: bool = False,
) -> TripleTable:
    head, relation, tail, *extra = columns
    table = TripleTable(
        head, relation, tail, extra[0] if extra else None, kind, path, header
    )
    if not head:
        raise DatasetFormatError(f"'{path}' holds no triple")
    for name in ROLES:
        column = getattr(table, name)
        blank = next((n for n in set(column) if not n or n.isspace()), None)
        if blank is not None:
            where = table.where(column.index(blank))
            raise DatasetFormatError(f"{where}: the {name} is empty")
    return table
