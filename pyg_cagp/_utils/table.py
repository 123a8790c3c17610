r"""Rows as aligned text, and as a frame of pandas."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyg_cagp.exceptions import MissingDependencyError


def format_table(rows: Sequence[Sequence[Any]]) -> str:
    r"""Lays out rows of cells in columns, the first row as their heading.

    Columns of numbers are aligned to the right, and whole numbers get
    thousands separators.

    Example:
        >>> print(format_table([("split", "total"), ("test", 12345)]))
        split   total
        test   12,345
    """
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    right = [
        any(isinstance(value, (int, float)) for value in column)
        for column in zip(*rows, strict=True)
    ]
    lines = []
    for row in cells:
        line = "  ".join(
            cell.rjust(width) if flush else cell.ljust(width)
            for cell, width, flush in zip(row, widths, right, strict=True)
        )
        lines.append(line.rstrip())
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def data_frame(rows: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> Any:
    r"""Returns rows, or columns by name, as a :class:`pandas.DataFrame`.

    Args:
        rows (sequence or mapping): The rows, or the columns.
    """
    try:
        from pandas import DataFrame
    except ImportError:
        raise MissingDependencyError(
            "'to_frame' needs pandas: pip install 'pyg_cagp[frame]'"
        ) from None
    return DataFrame(rows)
