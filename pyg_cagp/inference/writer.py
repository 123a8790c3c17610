r"""Writes tables of scores chunk by chunk, whole or not at all."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from pyg_cagp._utils.checks import check_choice
from pyg_cagp._utils.files import atomic_path, check_target
from pyg_cagp.data.parquet import check_pyarrow
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.inference.table import COLUMNS, ScoreTable

#: The formats, by the endings of files.
FORMATS = {".tsv": "tsv", ".txt": "tsv", ".csv": "csv", ".parquet": "parquet"}


class Writer(Protocol):
    r"""Takes tables, one after another."""

    def __call__(self, table: ScoreTable) -> None:
        r"""Writes a table below those before it."""


def format_of(path: Path, name: str | None = None) -> str:
    r"""Returns the format of a file that is to be written.

    Args:
        path (pathlib.Path): The file.
        name (str, optional): Its format; told by its ending if set to
            :obj:`None`. (default: :obj:`None`)
    """
    if name is not None:
        check_choice("format", name, tuple(dict.fromkeys(FORMATS.values())))
        return name
    if path.suffix.lower() not in FORMATS:
        raise InvalidInputError(
            f"'{path}' must end in one of {', '.join(FORMATS)}, or its format "
            f"must be given (--format)"
        )
    return FORMATS[path.suffix.lower()]


@contextmanager
def open_writer(path: Path, name: str | None = None) -> Iterator[Writer]:
    r"""Opens a file for tables; nothing is left of it if anything fails.

    Args:
        path (pathlib.Path): The file.
        name (str, optional): See :func:`format_of`. (default: :obj:`None`)
    """
    check_target(path)
    kind = format_of(path, name)
    opened = _open_parquet if kind == "parquet" else _open_text
    if kind == "parquet":
        check_pyarrow(path)
    with atomic_path(path) as temporary, opened(temporary, path, kind) as out:
        yield out


@contextmanager
def _open_text(temporary: Path, path: Path, kind: str) -> Iterator[Writer]:
    is_tsv = kind == "tsv"
    with open(temporary, "w", encoding="utf-8", newline="") as file:
        # Tab-separated files know no quoting, here as in what reads them.
        out: Any = (
            csv.writer(
                file,
                delimiter="\t",
                lineterminator="\n",
                quoting=csv.QUOTE_NONE,
                quotechar=None,
            )
            if is_tsv
            else csv.writer(file, lineterminator="\n")
        )
        out.writerow(COLUMNS)

        def write(table: ScoreTable) -> None:
            columns = table.columns()
            if is_tsv:
                for name, column in COLUMNS.items():
                    if column["kind"] is str:
                        _check_tsv(columns[name], path)
            out.writerows(
                zip(*(map(_cell, col) for col in columns.values()), strict=True)
            )

        yield write


def _check_tsv(names: list[str], path: Path) -> None:
    for name in names:
        if "\t" in name or "\n" in name or "\r" in name:
            raise InvalidInputError(
                f"'{path}' cannot hold the name {name!r}, which has a tab or a "
                f"line end in it; write a .csv or a .parquet file"
            )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.9g}" if isinstance(value, float) else value


@contextmanager
def _open_parquet(temporary: Path, path: Path, kind: str) -> Iterator[Writer]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {str: pa.string(), float: pa.float64(), bool: pa.bool_()}
    schema = pa.schema(
        [(name, types[column["kind"]]) for name, column in COLUMNS.items()]
    )
    with pq.ParquetWriter(temporary, schema) as out:

        def write(table: ScoreTable) -> None:
            out.write_table(pa.table(table.columns(), schema=schema))

        yield write
