r"""Rows as aligned text, or as a pandas DataFrame."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyg_cagp.exceptions import MissingDependencyError


def format_table(rows: Sequence[Sequence[Any]]) -> str:
    r"""Lays out rows in aligned columns, with the first row as the heading.

    Columns of numbers are aligned to the right, and whole numbers get
    thousands separators.

    Example:
        >>> print(format_table([("split", "total"), ("test", 12345)]))
        split   total
        test   12,345
    """
    texts = [[_text(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    right = [
        any(isinstance(value, (int, float)) for value in column)
        for column in zip(*rows, strict=True)
    ]
    lines = []
    for row in texts:
        line = "  ".join(
            text.rjust(width) if is_right else text.ljust(width)
            for text, width, is_right in zip(row, widths, right, strict=True)
        )
        lines.append(line.rstrip())
    return "\n".join(lines)


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def data_frame(rows: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> Any:
    r"""Returns rows, or columns by name, as a :class:`pandas.DataFrame`."""
    try:
        from pandas import DataFrame
    except ImportError:
        raise MissingDependencyError(
            "'to_frame' needs pandas: pip install 'pyg_cagp[frame]'"
        ) from None
    return DataFrame(rows)
