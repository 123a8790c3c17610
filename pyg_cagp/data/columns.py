r"""Turns columns of text into ids, times and confidences."""

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from pyg_cagp.data.table import TripleTable
from pyg_cagp.exceptions import DatasetFormatError


def number_names(tables: Sequence[TripleTable]) -> tuple[dict, dict]:
    r"""Numbers entities and relations in the order of their first mention.

    Heads come before tails within a triple, and tables in the given order;
    this is how PyG numbers FB15k-237.

    Args:
        tables (sequence): The tables, training triples first.
    """
    entities = dict.fromkeys(
        chain.from_iterable(
            chain.from_iterable(zip(t.head, t.tail, strict=True))
            for t in tables
        )
    )
    relations = dict.fromkeys(chain.from_iterable(t.relation for t in tables))
    return (
        dict(zip(entities, count(), strict=False)),
        dict(zip(relations, count(), strict=False)),
    )


def to_ids(names: Sequence[str], index: dict[str, int]) -> Tensor:
    r"""Looks up a column of names; :exc:`KeyError` for an unknown one."""
    ids = np.fromiter(map(index.__getitem__, names), np.int64, len(names))
    return torch.from_numpy(ids)


def encode(
    table: TripleTable, entities: dict[str, int], relations: dict[str, int]
) -> tuple[Tensor, Tensor]:
    r"""Returns :obj:`edge_index` and :obj:`edge_type` of a table.

    Args:
        table (TripleTable): The table.
        entities (dict): The number of each entity.
        relations (dict): The number of each relation.
    """
    ids = []
    for what, column, index in (
        ("entity", table.head, entities),
        ("entity", table.tail, entities),
        ("relation", table.relation, relations),
    ):
        try:
            ids.append(to_ids(column, index))
        except KeyError as error:
            name = error.args[0]
            raise DatasetFormatError(
                f"'{table.path}', line "
                f"{column.index(name) + table.first_line}: {what} '{name}' is "
                f"in no list of names"
            ) from None
    return torch.stack(ids[:2]), ids[2]


def check_names(kind: str, names: Iterable[str], where: str | Path) -> None:
    r"""Refuses names that look the same but are not.

    Two spellings that differ only in surrounding blanks or in Unicode form
    (a letter and its accent as one character or as two) would silently split
    one entity in two.

    Args:
        kind (str): What is named, for the message.
        names (iterable): The distinct names.
        where (str or pathlib.Path): Where they come from, for the message.
    """
    seen: dict[str, str] = {}
    for name in names:
        plain = name.strip()
        if not plain.isascii():
            plain = unicodedata.normalize("NFC", plain)
        other = seen.setdefault(plain, name)
        if other is not name:
            raise DatasetFormatError(
                f"'{where}': {kind} names {other!r} and {name!r} differ only "
                f"in blanks or Unicode form; spell them alike"
            )


def parse_time(table: TripleTable) -> tuple[Tensor, str]:
    r"""Reads the fourth column as points in time.

    Whole numbers stay as they are (unit :obj:`"step"`); ISO dates become days
    (unit :obj:`"D"`) and ISO date-times seconds (unit :obj:`"s"`) since 1970.

    Args:
        table (TripleTable): A table with four columns.
    """
    values = np.array(table.extra)
    try:
        return torch.from_numpy(values.astype(np.int64)), "step"
    except ValueError:
        pass
    has_clock = "T" in values[0] or " " in values[0].strip()
    unit = "s" if has_clock else "D"
    try:
        times = values.astype(f"datetime64[{unit}]").astype(np.int64)
    except ValueError:
        row = _first_bad(values, f"datetime64[{unit}]")
        raise DatasetFormatError(
            f"'{table.path}', line {row + table.first_line}: "
            f"{str(values[row])!r} is neither a whole number nor an ISO date "
            f"such as 2014-03-06"
        ) from None
    if (times == np.iinfo(np.int64).min).any():
        row = int((times == np.iinfo(np.int64).min).argmax())
        raise DatasetFormatError(
            f"'{table.path}', line {row + table.first_line}: the time is empty"
        )
    return torch.from_numpy(times), unit


def parse_confidence(table: TripleTable) -> Tensor:
    r"""Reads the fourth column as confidences in :math:`[0, 1]`.

    Args:
        table (TripleTable): A table with four columns.
    """
    values = np.array(table.extra)
    try:
        numbers = values.astype(np.float64)
        bad = ~((numbers >= 0) & (numbers <= 1))
        row = int(bad.argmax()) if bad.any() else None
    except ValueError:
        row = _first_bad(values, "float64")
    if row is not None:
        raise DatasetFormatError(
            f"'{table.path}', line {row + table.first_line}: "
            f"{str(values[row])!r} is not a confidence in [0, 1]"
        )
    return torch.from_numpy(numbers).float()


def extra_kind(table: TripleTable) -> str | None:
    r"""Tells what a fourth column holds: time, confidence, or nothing.

    A header decides. Without one, whole numbers and ISO dates are times and
    decimals in :math:`[0, 1]` are confidences; a column of bare zeros and
    ones could be either, and is refused.

    Args:
        table (TripleTable): The table.
    """
    if table.extra is None or table.extra_kind is not None:
        return table.extra_kind
    distinct = set(table.extra)
    if distinct <= {"0", "1"}:
        raise DatasetFormatError(
            f"'{table.path}': the fourth column holds only 0 and 1, which "
            f"could be time or confidence; name it by a header line or pass "
            f"extra='time' or extra='confidence'"
        )
    try:
        np.array(table.extra).astype(np.int64)
    except ValueError:
        try:
            float(table.extra[0])
        except ValueError:
            return "time"
        return "confidence"
    return "time"


def _first_bad(values: np.ndarray, dtype: str) -> int:
    # Only walked when a column is known to be bad, to name the culprit.
    for row, value in enumerate(values):
        try:
            np.array(value).astype(dtype)
        except ValueError:
            return row
    return 0
