r"""Reads tables of triples: tab-separated text, CSV, Parquet, plain or gzipped.

Nothing here loops over triples in Python: text is checked as an array of
bytes, split once, and sliced into columns.
"""

import csv
import gzip
import io
import zlib
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pyg_cagp.exceptions import DatasetFormatError, MissingDependencyError
from pyg_cagp.typing import WITH_PYARROW

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

_HEADER = (
    {"head", "h", "subject", "s", "source", "src"},
    {"relation", "r", "rel", "predicate", "p", "edge_type"},
    {"tail", "t", "object", "o", "target", "dst"},
)
#: Column names that say what a fourth column means.
EXTRA_NAMES = {
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
    first_line: int = 1  #: The number of the line that holds the first triple.

    def __len__(self) -> int:
        return len(self.head)


def table_suffix(path: Path) -> str | None:
    r"""Returns which of :obj:`SUFFIXES` the name of a file ends in."""
    name = path.name.lower()
    return max((s for s in SUFFIXES if name.endswith(s)), key=len, default=None)


def read_table(path: str | Path) -> TripleTable:
    r"""Reads a table of triples with three columns, or with four.

    Text is UTF-8 with LF or CRLF line ends; blank lines are passed over. A
    first line such as :obj:`head, relation, tail, date` is taken as a header.
    Tab-separated files know no quoting, comma-separated files do.

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
        return _read_parquet(path)
    text = read_text(path)
    columns = _split_csv(text, path) if "csv" in suffix else _split_tsv(text)
    if isinstance(columns, _Malformed):
        raise DatasetFormatError(
            f"'{path}', line {columns.line}: {columns.why}"
        )
    if not columns:
        raise DatasetFormatError(f"'{path}' holds no triple")
    return _without_header(columns, path)


def read_text(path: Path) -> str:
    r"""Reads a UTF-8 file, gzipped or not, and makes its line ends LF.

    Args:
        path (pathlib.Path): The file.
    """
    raw = path.read_bytes()
    if path.suffix == ".gz":
        try:
            raw = gzip.decompress(raw)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise DatasetFormatError(
                f"'{path}' is not a whole gzip file ({error}); fetch it again"
            ) from error
    raw = raw.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DatasetFormatError(
            f"'{path}', line {line}: byte 0x{raw[error.start]:02x} is not "
            f"UTF-8; save the file as UTF-8"
        ) from None


class _Malformed(NamedTuple):
    line: int
    why: str


def _split_tsv(text: str) -> list[list[str]] | _Malformed:
    if text and not text.endswith("\n"):
        text += "\n"
    raw = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    ends = np.flatnonzero(raw == ord("\n"))
    width = np.diff(
        np.searchsorted(np.flatnonzero(raw == ord("\t")), ends), prepend=0
    )
    blank = np.diff(ends, prepend=-1) == 1
    width = width + 1
    line = np.arange(1, len(ends) + 1)[~blank]
    width = width[~blank]
    if len(line) == 0:
        return []
    num = int(width[0])
    if num not in (3, 4):
        return _Malformed(int(line[0]), _wrong_width(num, "tabs"))
    if (width != num).any():
        row = int((width != num).argmax())
        return _Malformed(
            int(line[row]),
            f"expected {num} columns as in the lines before (got "
            f"{int(width[row])}); is the file cut off?",
        )
    if blank.any():
        text = "\n".join(filter(None, text.split("\n"))) + "\n"
    fields = text.replace("\n", "\t").split("\t")
    fields.pop()  # What follows the last line end.
    return [fields[i::num] for i in range(num)]


def _split_csv(text: str, path: Path) -> list[list[str]] | _Malformed:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        rows = [row for row in reader if row]
    except csv.Error as error:
        return _Malformed(reader.line_num, f"{error}; is the file cut off?")
    if not rows:
        return []
    num = len(rows[0])
    if num not in (3, 4):
        return _Malformed(1, _wrong_width(num, "commas"))
    wrong = [len(row) != num for row in rows]
    if any(wrong):
        row = next(compress(range(len(rows)), wrong))
        return _Malformed(
            row + 1, f"expected {num} columns (got {len(rows[row])})"
        )
    return [list(column) for column in zip(*rows, strict=True)]


def _wrong_width(num: int, separator: str) -> str:
    return (
        f"expected 3 columns (head, relation, tail) or 4 (and time or "
        f"confidence), separated by {separator} (got {num})"
    )


def _without_header(columns: list[list[str]], path: Path) -> TripleTable:
    first = [column[0].strip().lower() for column in columns]
    if not all(name in _HEADER[i] for i, name in enumerate(first[:3])):
        return _to_table(columns, path)
    kind = _extra_kind(first[3], path) if len(first) == 4 else None
    return _to_table([column[1:] for column in columns], path, kind, 2)


def _to_table(
    columns: list[list[str]],
    path: Path,
    kind: str | None = None,
    first_line: int = 1,
) -> TripleTable:
    if not columns[0]:
        raise DatasetFormatError(f"'{path}' holds no triple")
    for name, column in zip(
        ("head", "relation", "tail"), columns, strict=False
    ):
        if "" in column:
            raise DatasetFormatError(
                f"'{path}', line {column.index('') + first_line}: the {name} "
                f"is empty"
            )
    head, relation, tail, *extra = columns
    return TripleTable(
        head,
        relation,
        tail,
        extra[0] if extra else None,
        kind,
        path,
        first_line,
    )


def _extra_kind(name: str, path: Path) -> str:
    if name not in EXTRA_NAMES:
        raise DatasetFormatError(
            f"'{path}': the header calls the fourth column '{name}'; call it "
            f"'time' or 'confidence'"
        )
    return EXTRA_NAMES[name]


def _read_parquet(path: Path) -> TripleTable:
    if not WITH_PYARROW:
        raise MissingDependencyError(
            f"'{path}' is a Parquet file, which needs pyarrow: "
            f"pip install 'pyg_cagp[parquet]'"
        )
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise DatasetFormatError(
            f"'{path}' is not a whole Parquet file ({error})"
        ) from error
    names = [name.strip().lower() for name in table.column_names]
    if len(set(names)) < len(names):
        raise DatasetFormatError(
            f"'{path}' has two columns of one name (got "
            f"{', '.join(table.column_names)})"
        )
    places = []
    for role, allowed in zip(
        ("head", "relation", "tail"), _HEADER, strict=True
    ):
        found = [i for i, name in enumerate(names) if name in allowed]
        if len(found) != 1:
            raise DatasetFormatError(
                f"'{path}' must have one column called '{role}' (got columns "
                f"{', '.join(table.column_names)})"
            )
        places += found
    extra = [i for i, name in enumerate(names) if name in EXTRA_NAMES]
    if len(extra) > 1:
        raise DatasetFormatError(
            f"'{path}' has more than one column for time or confidence"
        )
    columns = [_parquet_column(table, i, path) for i in places + extra]
    kind = EXTRA_NAMES[names[extra[0]]] if extra else None
    return _to_table(columns, path, kind)


def _parquet_column(table: Any, place: int, path: Path) -> list[str]:
    import pyarrow as pa

    column = table.column(place)
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise DatasetFormatError(
            f"'{path}', row {row + 1}: column "
            f"'{table.column_names[place]}' is empty"
        )
    return column.cast(pa.string()).to_pylist()
