r"""Reads triples from text, line by line."""

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from pyg_cagp.data.table import ROLES
from pyg_cagp.data.text import is_csv
from pyg_cagp.exceptions import DatasetFormatError

#: No line of a table of triples is longer than this many bytes.
MAX_LINE = 2**20

#: Names that columns have where there are others beside them; a line of these
#: alone may well be a triple.
SHORT = {"head": {"h", "s"}, "relation": {"r", "p"}, "tail": {"t", "o"}}

Complain = Callable[[str], None]
Row = tuple[str, str, str]


def read(path: Path, malformed: Complain) -> Iterator[Row]:
    r"""Returns the triples of a text file, one after another.

    Args:
        path (pathlib.Path): The file.
        malformed (callable): What is told of rows that are no triples.
    """
    lines = _Lines(path)
    rows = _split_csv(lines, malformed) if is_csv(path) else _split_tsv(lines)
    separator = "commas" if is_csv(path) else "tabs"
    order: list[int] = []
    width = 0
    for fields in rows:
        where = f"'{path}', line {lines.number}"
        if lines.not_text:
            malformed(f"'{path}', line {lines.not_text} is not UTF-8")
            lines.not_text = 0
            continue
        if not order:
            names = _header(fields, where)
            if names is None and len(fields) not in (3, 4):
                malformed(
                    f"{where}: expected 3 columns (head, relation, tail), "
                    f"separated by {separator} (got {len(fields)})"
                )
                continue
            order, width = names or [0, 1, 2], len(fields)
            if names is not None:
                continue
        if len(fields) != width:
            malformed(
                f"{where}: expected {width} columns as in the lines before "
                f"(got {len(fields)})"
            )
            continue
        head, relation, tail = (fields[place] for place in order)
        if not (head.strip() and relation.strip() and tail.strip()):
            malformed(f"{where}: a name is empty")
            continue
        yield head, relation, tail


class _Lines:
    r"""The lines of a file, with the number of the last one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0
        self.not_text = 0  # The number of a line that is not UTF-8.

    def __iter__(self) -> Iterator[str]:
        is_gzip = self.path.suffix.lower() == ".gz"
        opened = gzip.open if is_gzip else open
        try:
            with opened(self.path, "rb") as file:
                while raw := file.readline(MAX_LINE):
                    self.number += 1
                    yield self._decode(raw)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise DatasetFormatError(
                f"'{self.path}' is not a whole gzip file ({error}); fetch it "
                f"again"
            ) from error

    def _decode(self, raw: bytes) -> str:
        if len(raw) == MAX_LINE:
            raise DatasetFormatError(
                f"'{self.path}', line {self.number} is longer than "
                f"{MAX_LINE:,} bytes; is this a table of triples?"
            )
        if self.number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if raw.endswith(b"\r\n"):
            raw = raw[:-2] + b"\n"
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            self.not_text = self.number
            return raw.decode("utf-8", errors="replace")


def _split_tsv(lines: _Lines) -> Iterator[list[str]]:
    for line in lines:
        line = line.removesuffix("\n")
        if line:
            yield line.split("\t")


def _split_csv(lines: _Lines, malformed: Complain) -> Iterator[list[str]]:
    reader = csv.reader(iter(lines), strict=True)
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            malformed(f"'{lines.path}', line {lines.number}: {error}")
            continue
        if fields:
            yield fields


def _header(fields: list[str], where: str) -> list[int] | None:
    r"""Tells where the columns are if a row names them."""
    names = [name.strip().lower() for name in fields]
    is_wide = len(fields) > 4
    found = {
        role: [
            place
            for place, name in enumerate(names)
            if name in allowed or (is_wide and name in SHORT[role])
        ]
        for role, allowed in ROLES.items()
    }
    num = sum(bool(places) for places in found.values())
    if num < 2:
        return None
    if num < 3 or any(len(places) > 1 for places in found.values()):
        raise DatasetFormatError(
            f"{where} looks like a header ({', '.join(names)}); call its "
            f"columns head, relation and tail or, if it is a triple, move it "
            f"to another line"
        )
    return [places[0] for places in found.values()]
