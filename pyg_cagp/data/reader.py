r"""Reads triples from files of any size in chunks of rows."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pyg_cagp._utils.checks import check_least
from pyg_cagp.data import parquet, text
from pyg_cagp.data.table import ROLES, SUFFIXES, TripleTable, table_suffix
from pyg_cagp.exceptions import DatasetFormatError, InvalidInputError

#: The largest number of rows in a chunk.
CHUNK = 100_000

#: The number of messages about malformed rows that are stored.
MAX_MESSAGES = 5


@dataclass
class Malformed:
    r"""Counts the rows of a file that are not triples, or raises an error at
    the first of them.

    Args:
        skip (bool, optional): Skips and counts these rows. :obj:`False` and
            :obj:`None` raise an error, which names the option to skip them
            only with :obj:`False`. (default: :obj:`None`)
        count (int, optional): The number of skipped rows. (default: :obj:`0`)
        messages (list, optional): The messages about the first of them.
    """

    skip: bool | None = None
    count: int = 0
    messages: list[str] = field(default_factory=list)

    def __call__(self, message: str) -> None:
        r"""Counts a row, or raises an error."""
        if not self.skip:
            option = "'--skip-malformed' (skip_malformed=True)"
            hint = f", or skip such rows with {option}"
            raise DatasetFormatError(
                f"{message}; correct it{'' if self.skip is None else hint}"
            )
        self.count += 1
        if self.count <= MAX_MESSAGES:
            self.messages.append(message)


def check_readable(path: str | Path) -> Path:
    r"""Checks that a file exists and that its ending is known."""
    path = Path(path)
    if not path.exists():
        raise InvalidInputError(f"there is no file '{path}'")
    if not path.is_file():
        raise InvalidInputError(f"'{path}' is not a file of triples")
    if table_suffix(path) is None:
        raise DatasetFormatError(
            f"'{path}' is not a table of triples: its name must end in one of "
            f"{', '.join(SUFFIXES)}"
        )
    return path


def read_chunks(
    path: str | Path,
    *,
    malformed: Malformed | None = None,
    chunk: int | None = None,
    extra: bool = False,
) -> Iterator[TripleTable]:
    r"""Reads the triples of a file in chunks of rows.

    Text is UTF-8, tab-separated or, in :obj:`.csv` files, comma-separated,
    gzipped or not, with columns head, relation, tail and optionally time or
    confidence. A first line that names them may have any order and further
    columns. The columns of Parquet files are identified by name.

    Args:
        path (str or pathlib.Path): The file.
        malformed (Malformed, optional): The treatment of rows that are not
            triples. If set to :obj:`None`, they raise an error.
            (default: :obj:`None`)
        chunk (int, optional): The largest number of rows in a chunk;
            :obj:`None` for 100,000. (default: :obj:`None`)
        extra (bool, optional): Reads times or confidences, too.
            (default: :obj:`False`)
    """
    path = check_readable(path)
    malformed = Malformed() if malformed is None else malformed
    size = CHUNK if chunk is None else chunk
    check_least("chunk", size, 1)
    table, count = None, 0
    if table_suffix(path) == ".parquet":
        parts = parquet.read(path, extra)
    else:
        parts = text.read(path, malformed, extra)
    for part in parts:
        _drop_empty(part, malformed)
        count += len(part)
        if table is None:
            table = part
        else:
            table.extend(part)
        while len(table) >= size:
            yield table[:size]
            del table[:size]
    if table is None or count == 0:
        rows = f" ({malformed.count} malformed rows were skipped)"
        raise DatasetFormatError(
            f"'{path}' holds no triple{rows if malformed.count else ''}"
        )
    if len(table):
        yield table


def _drop_empty(table: TripleTable, malformed: Malformed) -> None:
    for role in ROLES:
        names = getattr(table, role)
        if all(map(str.strip, names)):
            continue
        empty = [row for row, name in enumerate(names) if not name.strip()]
        for row in empty:
            malformed(f"{table.where(row)}: the {role} is empty")
        for row in reversed(empty):
            del table[row]


def read_table(path: str | Path) -> TripleTable:
    r"""Reads all triples of a file, and times or confidences if there are any;
    see :func:`read_chunks`.

    Args:
        path (str or pathlib.Path): The file.
    """
    return next(read_chunks(path, chunk=sys.maxsize, extra=True))
