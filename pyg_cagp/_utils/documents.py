r"""JSON files whose values are checked before anything uses them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pyg_cagp.exceptions import CheckpointError

#: The remedy for files that a later version has written.
UPGRADE = "upgrade pyg_cagp"

#: The largest file that is read, in bytes.
MAX_BYTES = 2**26

Check = Callable[[Any], bool]


def is_count(value: Any) -> bool:
    r"""Returns whether a value is an integer of at least 0."""
    return type(value) is int and value >= 0


def is_number(value: Any) -> bool:
    r"""Returns whether a value is a number."""
    return type(value) in (int, float)


def is_text(value: Any) -> bool:
    r"""Returns whether a value is a text."""
    return isinstance(value, str)


def is_mapping(value: Any, check: Check = lambda _: True) -> bool:
    r"""Returns whether a value is a dictionary whose values pass a check."""
    return isinstance(value, dict) and all(map(check, value.values()))


def read_document(
    path: Path, schema: int, checks: Mapping[str, Check], remedy: str
) -> dict[str, Any]:
    r"""Reads a JSON file and checks its values.

    Args:
        path (pathlib.Path): The file.
        schema (int): The highest schema that can be read.
        checks (mapping): For each key, whether a value is allowed. A key that
            is missing has the value :obj:`None`.
        remedy (str): The advice that ends an error message.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES:,} bytes")
        document = json.loads(path.read_text(encoding="utf-8"))
        found = int(document["schema"])
    except FileNotFoundError:
        raise CheckpointError(f"there is no '{path}'; {remedy}") from None
    except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise CheckpointError(
            f"'{path}' cannot be read ({error!r}); {remedy}"
        ) from None
    if found > schema:
        raise CheckpointError(
            f"'{path}' has schema {found}, this version reads {schema}; "
            f"{UPGRADE}"
        )
    for key, is_right in checks.items():
        if is_right(document.get(key)):
            document.setdefault(key, None)
            continue
        if key not in document:
            raise CheckpointError(f"'{path}' has no '{key}'; {remedy}")
        raise CheckpointError(
            f"'{path}' is damaged: its '{key}' cannot be {document[key]!r}; "
            f"{remedy}"
        )
    return document
