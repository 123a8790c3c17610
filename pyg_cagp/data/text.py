r"""Reads triples from text, tab-separated or comma-separated."""

import csv
import gzip
import io
import zlib
from array import array
from collections.abc import Callable, Iterator
from itertools import chain, compress, count, islice
from pathlib import Path

from pyg_cagp.data.table import Columns, TripleTable, find_columns
from pyg_cagp.exceptions import DatasetFormatError

#: The largest number of bytes in a line.
MAX_LINE = 2**20

# Small batches are three times as fast as large ones, because the garbage
# collector visits each row in memory.
_BLOCK = 2**14
_ROWS = 256

Report = Callable[[str], None]
Rows = tuple[array, list[list[str]]]  # Numbers of lines, and their fields.


def read_blocks(path: Path) -> Iterator[str]:
    r"""Reads a text file, gzipped or not, in blocks of complete lines that
    end in LF, with surrogates for bytes that are not UTF-8.
    """
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    rest, line = b"", 1
    try:
        with opened(path, "rb") as file:
            while raw := file.read(_BLOCK):
                lines, end, tail = raw.rpartition(b"\n")
                if end:
                    block, rest = rest + lines + end, tail
                    yield _decode(block, is_first=line == 1)
                    line += block.count(b"\n")
                else:
                    rest += tail
                if len(rest) > MAX_LINE:
                    raise DatasetFormatError(
                        f"'{path}', line {line} is longer than {MAX_LINE:,} "
                        f"bytes; is this a table of triples?"
                    )
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DatasetFormatError(
            f"'{path}' is not a complete gzip file ({error}); fetch it again"
        ) from error
    if rest:
        yield _decode(rest + b"\n", is_first=line == 1)


def _decode(block: bytes, is_first: bool) -> str:
    if is_first:
        block = block.removeprefix(b"\xef\xbb\xbf")
    return block.replace(b"\r\n", b"\n").decode("utf-8", "surrogateescape")


def find_surrogate(text: str) -> int | None:
    r"""Returns the position of the first byte that is not UTF-8, if any."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


def read(path: Path, report: Report, extra: bool) -> Iterator[TripleTable]:
    r"""Reads the rows of a text file in batches."""
    is_csv = path.name.lower().endswith((".csv", ".csv.gz"))
    groups = _split_csv(path, report) if is_csv else _split_tsv(path)
    form = _Form(path, report, extra, "commas" if is_csv else "tabs")
    for lines, rows in groups:
        if not form.fits_all(rows):
            pairs = zip(lines, rows, strict=True)
            valid = [pair for pair in pairs if form.fits(*pair)]
            lines = array("q", (line for line, _ in valid))
            rows = [row for _, row in valid]
        if rows:
            fields = list(zip(*rows, strict=True))
            places, kind = form.columns
            columns = [list(fields[place]) for place in places]
            yield TripleTable(lines, path, kind, *columns)


def _split_tsv(path: Path) -> Iterator[Rows]:
    first = 1
    for block in read_blocks(path):
        texts = block.split("\n")
        lines = array("q", compress(count(first), texts))
        if lines:
            yield lines, [text.split("\t") for text in filter(None, texts)]
        first += len(texts) - 1


def _split_csv(path: Path, report: Report) -> Iterator[Rows]:
    texts = (io.StringIO(block, newline="\n") for block in read_blocks(path))
    reader = csv.reader(chain.from_iterable(texts), strict=True)
    is_over = False
    while not is_over:
        lines, rows, problem, is_over = array("q"), [], None, True
        try:
            for fields in islice(reader, _ROWS):
                is_over = False
                if fields:
                    lines.append(reader.line_num)
                    rows.append(fields)
        except csv.Error as error:
            problem, is_over = str(error), False
        if rows:
            yield lines, rows
        if problem is not None:
            report(f"'{path}', line {reader.line_num}: {problem}")


class _Form:
    r"""The columns of a text file, inferred from its first row."""

    def __init__(
        self, path: Path, report: Report, extra: bool, separator: str
    ) -> None:
        self.path, self.report, self.extra = path, report, extra
        self.separator = separator
        self.width = 0  # Not known before the first row.
        self.columns = Columns([])

    def fits_all(self, rows: list[list[str]]) -> bool:
        r"""Returns whether all rows are triples; reports none."""
        text = "".join(chain.from_iterable(rows))
        is_even = set(map(len, rows)) == {self.width}
        return is_even and find_surrogate(text) is None

    def fits(self, line: int, row: list[str]) -> bool:
        r"""Returns whether a row is a triple. Reports a row that is neither a
        triple nor the header.
        """
        text = "".join(row)
        bad = find_surrogate(text)
        if bad is not None:
            # The number of a CSV row that spans lines is that of its last line.
            line -= text.count("\n", bad)
            problem = f"byte 0x{ord(text[bad]) - 0xDC00:02x} is not UTF-8"
        elif self.width == 0 and self._is_header(line, row):
            return False
        elif len(row) == self.width:
            return True
        elif self.width:
            problem = (
                f"expected {self.width} columns as in the lines before (got "
                f"{len(row)})"
            )
        else:
            problem = (
                f"expected 3 columns (head, relation, tail) or 4 (and time or "
                f"confidence) separated by {self.separator}, or a header (got "
                f"{len(row)} columns)"
            )
        self.report(f"'{self.path}', line {line}: {problem}")
        return False

    def _is_header(self, line: int, row: list[str]) -> bool:
        r"""Sets the columns from a row; returns whether it is a header."""
        where = f"'{self.path}', line {line}"
        columns = find_columns(row, where, self.extra)
        if columns.places:
            self.columns, self.width = columns, len(row)
        elif len(row) in (3, 4):
            self.width = len(row)
            self.columns = Columns(list(range(len(row) if self.extra else 3)))
        return bool(columns.places)
