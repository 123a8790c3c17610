r"""Reads triples in chunks, so that files of any size need little memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyg_cagp.advice import parquet_chunks, text_rows
from pyg_cagp.data.table import SUFFIXES, table_suffix
from pyg_cagp.exceptions import DatasetFormatError, InvalidInputError

#: How many rows a chunk has at most.
CHUNK = 100_000

#: How many complaints about malformed rows are kept.
MAX_COMPLAINTS = 5

Chunk = tuple[Sequence[str], Sequence[str], Sequence[str]]


@dataclass
class Malformed:
    r"""What to do about rows that are no triples: refuse the file at the first
    one, or pass over them and count.

    Args:
        skip (bool, optional): If set to :obj:`True`, passes over them.
            (default: :obj:`False`)
        count (int, optional): How many there were. (default: :obj:`0`)
        complaints (list, optional): What was wrong with the first of them.
    """

    skip: bool = False
    count: int = 0
    complaints: list[str] = field(default_factory=list)

    def __call__(self, complaint: str) -> None:
        r"""Tells of a row that is no triple."""
        if not self.skip:
            raise DatasetFormatError(
                f"{complaint}; mend it, or pass over such rows with "
                f"'--skip-malformed' (skip=True)"
            )
        self.count += 1
        if self.count <= MAX_COMPLAINTS:
            self.complaints.append(complaint)


def check_readable(path: str | Path) -> Path:
    r"""Checks that there is a file with an ending that can be read.

    Args:
        path (str or pathlib.Path): The file.
    """
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
    malformed: Malformed | None = None,
    chunk: int | None = None,
) -> Iterator[Chunk]:
    r"""Reads heads, relations and tails of a file, a chunk of rows at a time.

    Text is UTF-8, tab-separated or, in files ending in :obj:`.csv`,
    comma-separated, gzipped or not. Columns are head, relation and tail, and
    possibly one more, which is passed over; a first line that names them may
    put them into any order, among any others. Columns of Parquet files are
    found by their names.

    Args:
        path (str or pathlib.Path): The file.
        malformed (Malformed, optional): What to do about rows that are no
            triples; the file is refused if set to :obj:`None`.
            (default: :obj:`None`)
        chunk (int, optional): How many rows to return at a time; 100,000 if
            set to :obj:`None`. (default: :obj:`None`)
    """
    path = check_readable(path)
    malformed = Malformed() if malformed is None else malformed
    size = CHUNK if chunk is None else chunk
    if size < 1:
        raise InvalidInputError(f"'chunk' must be positive (got {size})")
    if table_suffix(path) == ".parquet":
        yield from parquet_chunks.read(path, size, malformed)
        return
    rows: list[tuple[str, str, str]] = []
    for row in text_rows.read(path, malformed):
        rows.append(row)
        if len(rows) == size:
            yield _columns(rows)
            rows = []
    if rows:
        yield _columns(rows)


def _columns(rows: list[tuple[str, str, str]]) -> Chunk:
    head, relation, tail = zip(*rows, strict=True)
    return head, relation, tail
