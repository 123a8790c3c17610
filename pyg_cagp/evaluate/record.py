r"""The file of a result: a JSON document, and a NumPy file beside it."""

import json
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pyg_cagp._utils.files import atomic_path, check_target, write_atomically
from pyg_cagp.exceptions import DatasetFormatError, InvalidInputError

SCHEMA = 1

#: The errors that an incomplete file raises.
BROKEN = (EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile)

#: The keys of a document.
KEYS = ("protocol", "config", "graph", "metrics", "seed", "versions")


def write_record(
    path: Path, document: dict[str, Any], samples: Mapping[str, Tensor]
) -> None:
    r"""Writes a document, and samples to :obj:`PATH.npz`, atomically."""
    check_target(path)
    if path.suffix == ".npz":
        raise InvalidInputError(
            f"'path' must be that of the JSON file (got '{path}')"
        )
    if samples:
        beside = path.with_name(f"{path.name}.npz")
        document = {**document, "samples": beside.name}
        with atomic_path(beside) as temporary, open(temporary, "wb") as out:
            arrays: dict[str, Any] = {k: v.numpy() for k, v in samples.items()}
            np.savez_compressed(out, **arrays)
    text = json.dumps(document, indent=2, allow_nan=False)
    write_atomically(path, (text + "\n").encode())


def read_record(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    r"""Returns the values of :obj:`KEYS` and the samples of a record."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        schema = document["schema"]
        if schema != SCHEMA:
            raise DatasetFormatError(
                f"'{path}' is a record of schema {schema}, but this version "
                f"reads schema {SCHEMA}"
            )
        samples = {}
        if "samples" in document:
            beside = path.with_name(document["samples"])
            with np.load(beside, allow_pickle=False) as arrays:
                samples = {k: torch.from_numpy(arrays[k]) for k in arrays}
        return {key: document[key] for key in KEYS}, samples
    except DatasetFormatError:
        raise
    except BROKEN as error:
        raise DatasetFormatError(
            f"'{path}' is not a complete record of an evaluation ({error!r})"
        ) from None


def plain(value: Any) -> Any:
    r"""Returns a value for JSON; NaN and infinity become :obj:`None`."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)
