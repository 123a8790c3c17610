r"""Reads triples from Parquet files by pyarrow."""

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyg_cagp.data.table import TripleTable, find_columns
from pyg_cagp.exceptions import DatasetFormatError, MissingDependencyError
from pyg_cagp.typing import WITH_PYARROW

_ROWS = 2**12  # The number of rows in a batch.


def check_pyarrow(path: Path) -> None:
    r"""Checks that pyarrow is installed."""
    if not WITH_PYARROW:
        raise MissingDependencyError(
            f"'{path}' is a Parquet file, which needs pyarrow: "
            f"pip install 'pyg_cagp[parquet]'"
        )


def read(path: Path, extra: bool) -> Iterator[TripleTable]:
    r"""Reads the rows of a Parquet file in batches."""
    check_pyarrow(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    line = 1
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            header = find_columns(names, f"'{path}'", extra, is_header=True)
            names = [names[position] for position in header.places]
            for batch in file.iter_batches(_ROWS, columns=names):
                lines = array("q", range(line, line + len(batch)))
                columns = [_as_text(batch, name, path) for name in names]
                yield TripleTable(lines, path, header.extra_kind, *columns)
                line += len(batch)
    except (pa.ArrowInvalid, OSError) as error:
        raise DatasetFormatError(
            f"'{path}' is not a complete Parquet file ({error}); write it again"
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
