r"""Splits text into columns: tab-separated or comma-separated.

Nothing here loops over lines in Python unless there is an error to report:
text is checked as an array of bytes, split once, and sliced.
"""

import csv
import gzip
import io
import zlib
from itertools import islice
from pathlib import Path

import numpy as np

from pyg_cagp.exceptions import DatasetFormatError


def read_text(path: Path) -> str:
    r"""Reads a UTF-8 file, gzipped or not, and makes its line ends LF.

    Args:
        path (pathlib.Path): The file.
    """
    raw = path.read_bytes()
    if path.suffix.lower() == ".gz":
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


def is_csv(path: Path) -> bool:
    r"""Tells by its name whether a file is comma-separated."""
    return path.name.lower().endswith((".csv", ".csv.gz"))


def split_columns(path: Path) -> list[list[str]]:
    r"""Returns the three or four columns of a file; none if it is empty.

    Blank lines are passed over. Tab-separated files know no quoting,
    comma-separated files do.

    Args:
        path (pathlib.Path): The file.
    """
    text = read_text(path)
    return _split_csv(text, path) if is_csv(path) else _split_tsv(text, path)


def _split_tsv(text: str, path: Path) -> list[list[str]]:
    if text and not text.endswith("\n"):
        text += "\n"
    raw = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    ends = np.flatnonzero(raw == ord("\n"))
    tabs = np.searchsorted(np.flatnonzero(raw == ord("\t")), ends)
    width = np.diff(tabs, prepend=0) + 1
    blank = np.diff(ends, prepend=-1) == 1
    line = np.flatnonzero(~blank) + 1
    width = width[~blank]
    if len(line) == 0:
        return []
    num = _check_width(int(width[0]), path, int(line[0]), "tabs")
    if (width != num).any():
        row = int((width != num).argmax())
        raise _uneven(path, int(line[row]), num, int(width[row]))
    if blank.any():
        text = "\n".join(filter(None, text.split("\n"))) + "\n"
    fields = text.replace("\n", "\t").split("\t")
    fields.pop()  # What follows the last line end.
    return [fields[i::num] for i in range(num)]


def _split_csv(text: str, path: Path) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        rows = [row for row in reader if row]
    except csv.Error as error:
        raise DatasetFormatError(
            f"'{path}', line {reader.line_num}: {error}; is the file cut off?"
        ) from None
    if not rows:
        return []
    num = _check_width(len(rows[0]), path, line_of(path, 0), "commas")
    if set(map(len, rows)) != {num}:
        row = next(i for i, fields in enumerate(rows) if len(fields) != num)
        raise _uneven(path, line_of(path, row), num, len(rows[row]))
    return [list(column) for column in zip(*rows, strict=True)]


def _check_width(num: int, path: Path, line: int, separator: str) -> int:
    if num not in (3, 4):
        raise DatasetFormatError(
            f"'{path}', line {line}: expected 3 columns (head, relation, "
            f"tail) or 4 (and time or confidence), separated by {separator} "
            f"(got {num})"
        )
    return num


def _uneven(path: Path, line: int, num: int, got: int) -> DatasetFormatError:
    return DatasetFormatError(
        f"'{path}', line {line}: expected {num} columns as in the lines "
        f"before (got {got}); is the file cut off?"
    )


def line_of(path: Path, row: int) -> int:
    r"""Returns the number of the line on which a row ends.

    Lines may be blank, and CSV rows may span several, so the file is read once
    more; this happens only on the way to an error.

    Args:
        path (pathlib.Path): The file.
        row (int): The row, counted from zero, the header included.
    """
    text = read_text(path)
    if is_csv(path):
        reader = csv.reader(io.StringIO(text, newline=""))
        numbers = (reader.line_num for fields in reader if fields)
    else:
        lines = enumerate(text.split("\n"), start=1)
        numbers = (number for number, line in lines if line)
    return next(islice(numbers, row, None))
