r"""Reads triples from Parquet files, which needs pyarrow."""

from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyg_cagp.data.table import (
    TripleTable,
    empty_role,
    find_columns,
    has_names,
)
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
    path: Path, report: Callable[[str], None], extra: bool, size: int
) -> Iterator[TripleTable]:
    r"""Reads the triples of a Parquet file, some rows at a time.

    Args:
        path (pathlib.Path): The file.
        report (callable): Takes a message about each row that is no triple.
        extra (bool): If set to :obj:`True`, reads a fourth column, too.
        size (int): The largest number of rows at a time.
    """
    check_pyarrow(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    line = 1
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            found = find_columns(names, f"'{path}'", extra, is_header=True)
            names = [names[place] for place in found.places]
            for batch in file.iter_batches(size, columns=names):
                lines = range(line, line + len(batch))
                columns = [_as_text(batch, name, path) for name in names]
                yield _table(columns, lines, found.extra_kind, path, report)
                line = lines.stop
    except (pa.ArrowInvalid, OSError) as error:
        raise DatasetFormatError(
            f"'{path}' is not a whole Parquet file ({error}); write it again"
        ) from error


def _as_text(batch: Any, name: str, path: Path) -> list[str]:
    import pyarrow as pa

    try:
        text = batch.column(name).cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DatasetFormatError(
            f"'{path}': column '{name}' cannot be read as text ({error}); "
            f"write it as text"
        ) from error
    return text.fill_null("").to_pylist()


def _table(
    columns: list[list[str]],
    lines: range,
    kind: str | None,
    path: Path,
    report: Callable[[str], None],
) -> TripleTable:
    numbers = array("q", lines)
    if not has_names(*columns[:3]):
        good = []
        for row, line in enumerate(lines):
            role = empty_role(column[row] for column in columns[:3])
            if role is None:
                good.append(row)
            else:
                report(f"'{path}', row {line}: the {role} is empty")
        columns = [[column[row] for row in good] for column in columns]
        numbers = array("q", (lines[row] for row in good))
    head, relation, tail, *fourth = columns
    extra = fourth[0] if fourth else None
    return TripleTable(head, relation, tail, extra, kind, path, numbers)
