r"""Reads triples from Parquet files, batch by batch, which needs pyarrow."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyg_cagp.advice.text_rows import SHORT
from pyg_cagp.data.table import ROLES
from pyg_cagp.exceptions import DatasetFormatError, MissingDependencyError
from pyg_cagp.typing import WITH_PYARROW


def check_pyarrow(path: Path) -> None:
    r"""Checks that Parquet files can be read and written.

    Args:
        path (pathlib.Path): The file, for the message.
    """
    if not WITH_PYARROW:
        raise MissingDependencyError(
            f"'{path}' is a Parquet file, which needs pyarrow: "
            f"pip install 'pyg_cagp[parquet]'"
        )


def read(
    path: Path, size: int, malformed: Callable[[str], None]
) -> Iterator[tuple[list[str], list[str], list[str]]]:
    r"""Returns heads, relations and tails, a batch of rows at a time.

    Args:
        path (pathlib.Path): The file.
        size (int): How many rows to return at a time.
        malformed (callable): What is told of rows that are no triples.
    """
    check_pyarrow(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    first = 0
    try:
        with pq.ParquetFile(path) as file:
            names = _names(file.schema_arrow.names, path)
            for batch in file.iter_batches(size, columns=names):
                columns = [_as_text(batch.column(name)) for name in names]
                yield _whole(columns, path, first, malformed)
                first += len(batch)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise DatasetFormatError(
            f"'{path}' cannot be read as a Parquet file of names ({error})"
        ) from error


def _names(names: list[str], path: Path) -> list[str]:
    found = []
    for role, allowed in ROLES.items():
        fits = [
            name
            for name in names
            if name.strip().lower() in allowed | SHORT[role]
        ]
        if len(fits) != 1:
            raise DatasetFormatError(
                f"'{path}' must have one column called '{role}' (got columns "
                f"{', '.join(names)})"
            )
        found += fits
    return found


def _as_text(column: Any) -> list[str | None]:
    import pyarrow as pa

    return column.cast(pa.string()).to_pylist()


def _whole(
    columns: list[list[str | None]],
    path: Path,
    first: int,
    malformed: Callable[[str], None],
) -> tuple[list[str], list[str], list[str]]:
    rows = []
    for number, row in enumerate(zip(*columns, strict=True), start=first + 1):
        if all(name and not name.isspace() for name in row):
            rows.append(row)
        else:
            malformed(f"'{path}', row {number}: a name is empty")
    head, relation, tail = zip(*rows, strict=True) if rows else ((), (), ())
    return list(head), list(relation), list(tail)
