r"""Reads JSON files and checks their values."""

import json
from pathlib import Path
from types import NoneType
from typing import Any

from pyg_cagp.exceptions import CheckpointError

#: The remedy for files of a later version.
UPGRADE = "upgrade pyg_cagp"

#: The largest file that is read, in bytes.
MAX_BYTES = 2**26

#: Forms of values; see :func:`fits`.
NUMBER = (int, float)
OPTIONAL_NUMBER = (int, float, NoneType)


def is_count(value: Any) -> bool:
    r"""Returns whether a value is an integer of at least 0."""
    return type(value) is int and value >= 0


def fits(value: Any, form: Any) -> bool:
    r"""Returns whether a value has a form: a type, a tuple of alternative
    forms, a dictionary of forms, or a function that returns a boolean.

    Example:
        >>> fits({"seed": 1}, {"seed": (int, str)}), fits(True, int)
        (True, False)
    """
    if isinstance(form, type):
        return type(value) is form
    if isinstance(form, tuple):
        return any(fits(value, part) for part in form)
    if isinstance(form, dict):
        return (
            isinstance(value, dict)
            and value.keys() == form.keys()
            and all(fits(value[key], part) for key, part in form.items())
        )
    return form(value)


def read_document(
    path: Path, schema: int, forms: dict[str, Any], remedy: str
) -> dict[str, Any]:
    r"""Reads a JSON file and checks its values."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES:,} bytes")
        document = json.loads(path.read_text(encoding="utf-8"))
        file_schema = int(document["schema"])
    except FileNotFoundError:
        raise CheckpointError(f"there is no '{path}'; {remedy}") from None
    except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise CheckpointError(
            f"'{path}' cannot be read ({error!r}); {remedy}"
        ) from None
    if file_schema > schema:
        raise CheckpointError(
            f"'{path}' has schema {file_schema}, this version reads "
            f"{schema}; {UPGRADE}"
        )
    for key, form in forms.items():
        if not fits(document.setdefault(key), form):
            problem = f"its '{key}' cannot be {document[key]!r}"
            raise CheckpointError(f"'{path}' is damaged: {problem}; {remedy}")
    return document
