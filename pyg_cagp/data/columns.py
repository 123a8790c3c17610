r"""Turns columns of text into ids, times and confidences."""

from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from pyg_cagp._utils.names import plain_name
from pyg_cagp.data.table import TripleTable
from pyg_cagp.exceptions import DatasetFormatError


def number_names(tables: Sequence[TripleTable]) -> tuple[dict, dict]:
    r"""Numbers entities and relations in the order of their first mention,
    heads before tails within a triple, as PyG numbers FB15k-237.
    """
    flat = chain.from_iterable
    ends = flat(zip(table.head, table.tail, strict=True) for table in tables)
    return number(flat(ends)), number(flat(table.relation for table in tables))


def number(names: Iterable[str]) -> dict[str, int]:
    r"""Numbers names in the order of their first mention."""
    return dict(zip(dict.fromkeys(names), count(), strict=False))


def encode(
    table: TripleTable, entities: dict[str, int], relations: dict[str, int]
) -> tuple[Tensor, Tensor]:
    r"""Returns :obj:`edge_index` and :obj:`edge_type` of a table."""
    ids = []
    for kind, column, index in (
        ("entity", table.head, entities),
        ("entity", table.tail, entities),
        ("relation", table.relation, relations),
    ):
        try:
            numbers = map(index.__getitem__, column)
            ids.append(np.fromiter(numbers, np.int64, len(column)))
        except KeyError as error:
            name = error.args[0]
            raise DatasetFormatError(
                f"{table.where(column.index(name))}: {kind} '{name}' is not "
                f"among the names of the graph"
            ) from None
    return torch.from_numpy(np.stack(ids[:2])), torch.from_numpy(ids[2])


def check_names(kind: str, names: Iterable[str], where: str | Path) -> None:
    r"""Raises an error if names differ only in blanks or in Unicode form (a
    letter and its accent as one character or two), as spellings of one entity.
    """
    spellings: dict[str, str] = {}
    for name in names:
        other = spellings.setdefault(plain_name(name), name)
        if other is not name:
            raise DatasetFormatError(
                f"'{where}': {kind} names {other!r} and {name!r} differ only "
                f"in blanks or Unicode form; spell them the same"
            )


def parse_time(table: TripleTable) -> tuple[Tensor, str]:
    r"""Reads the fourth column as points in time.

    Whole numbers stay as they are (unit :obj:`"step"`); ISO dates become days
    (unit :obj:`"D"`) and ISO date-times seconds (unit :obj:`"s"`) since 1970.
    """
    values = np.array(table.extra)
    is_integer = _is_integer(values)
    if is_integer.all():
        row = _first_bad(values, "int64")
        if row is not None:
            where, value = table.where(row), str(values[row])
            raise DatasetFormatError(
                f"{where}: {value!r} does not fit in 64 bits"
            )
        return torch.from_numpy(values.astype(np.int64)), "step"
    # NumPy would read a bare number among dates as a year.
    has_clock = any(np.char.find(values, sign).max() >= 0 for sign in "T:")
    unit = "s" if has_clock else "D"
    row = int(is_integer.argmax()) if is_integer.any() else None
    if row is None:
        row = _first_bad(values, f"datetime64[{unit}]")
    if row is not None:
        raise DatasetFormatError(
            f"{table.where(row)}: {str(values[row])!r} is not a time of the "
            f"same form as the others; use whole numbers, or ISO dates such as "
            f"2014-03-06"
        )
    times = values.astype(f"datetime64[{unit}]")
    return torch.from_numpy(times.astype(np.int64)), unit


def parse_confidence(table: TripleTable) -> Tensor:
    r"""Reads the fourth column as confidences in :math:`[0, 1]`."""
    values = np.array(table.extra)
    row = _first_bad(values, "float64")
    if row is None:
        numbers = values.astype(np.float64)
        bad = ~((numbers >= 0) & (numbers <= 1))
        row = int(bad.argmax()) if bad.any() else None
    if row is not None:
        raise DatasetFormatError(
            f"{table.where(row)}: {str(values[row])!r} is not a confidence in "
            f"[0, 1]"
        )
    return torch.from_numpy(numbers).float()


def extra_kind(table: TripleTable) -> str | None:
    r"""Returns the meaning of a fourth column: time, confidence, or
    :obj:`None` if it is unclear.

    A header names it. Without one, whole numbers and ISO dates are times and
    decimals are confidences; a column of bare zeros and ones could be either.
    """
    if table.extra is None or table.extra_kind is not None:
        return table.extra_kind
    if set(table.extra) <= {"0", "1"}:
        return None
    if _is_integer(np.array(table.extra)).all():
        return "time"
    try:
        float(table.extra[0])
    except ValueError:
        return "time"
    return "confidence"


def _is_integer(values: np.ndarray) -> np.ndarray:
    plain = np.char.strip(values)
    signed = np.char.startswith(plain, "-") | np.char.startswith(plain, "+")
    digits = np.where(signed, np.char.lstrip(plain, "+-"), plain)
    one_sign = np.char.str_len(plain) - np.char.str_len(digits) <= 1
    return np.char.isdecimal(digits) & one_sign


def _first_bad(values: np.ndarray, dtype: str) -> int | None:
    # Single values are parsed only after an error, to find the first bad one.
    if _can_parse(values, dtype):
        return None
    rows = range(len(values))
    return next((i for i in rows if not _can_parse(values[[i]], dtype)), None)


def _can_parse(values: np.ndarray, dtype: str) -> bool:
    dated = dtype.startswith("datetime")
    if dated and not _DATE_LETTERS.issuperset("".join({*values.tolist()})):
        return False
    try:
        parsed = values.astype(dtype)
    except (ValueError, OverflowError):
        return False
    return not (dated and np.isnat(parsed).any())


# NumPy also reads words such as "today", whose date changes, and time zones,
# which it ignores.
_DATE_LETTERS = set("0123456789-T:. ")
