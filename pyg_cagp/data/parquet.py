r"""Reads triples from Parquet files, which needs pyarrow."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyg_cagp.exceptions import DatasetFormatError, MissingDependencyError
from pyg_cagp.typing import WITH_PYARROW


def read_columns(
    path: Path,
    roles: Mapping[str, set[str]],
    extras: Mapping[str, str],
) -> tuple[list[list[str]], str | None]:
    r"""Returns the columns for head, relation and tail, then time or
    confidence where there is such a column, and which of the two it is.

    Args:
        path (pathlib.Path): The file.
        roles (mapping): The names that the column of each role may have.
        extras (mapping): What a further column of a given name means.
    """
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
    for role, allowed in roles.items():
        found = [i for i, name in enumerate(names) if name in allowed]
        if len(found) != 1:
            raise DatasetFormatError(
                f"'{path}' must have one column called '{role}' (got columns "
                f"{', '.join(table.column_names)})"
            )
        places += found
    extra = [i for i, name in enumerate(names) if name in extras]
    if len(extra) > 1:
        raise DatasetFormatError(
            f"'{path}' has more than one column for time or confidence"
        )
    kind = extras[names[extra[0]]] if extra else None
    return [_as_text(table, i, path) for i in places + extra], kind


def _as_text(table: Any, place: int, path: Path) -> list[str]:
    import pyarrow as pa

    name, column = table.column_names[place], table.column(place)
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise DatasetFormatError(
            f"'{path}', row {row + 1}: column '{name}' is empty"
        )
    try:
        return column.cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DatasetFormatError(
            f"'{path}': column '{name}' cannot be read as text ({error})"
        ) from error
