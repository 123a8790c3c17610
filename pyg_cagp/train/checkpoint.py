r"""Checkpoint files: tensors and plain values, written atomically."""

import json
import zlib
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from pyg_cagp._utils.documents import UPGRADE
from pyg_cagp._utils.files import write_atomically
from pyg_cagp.exceptions import CheckpointError
from pyg_cagp.nn.kge import GaussianKGEModel

#: The prefix of the names of posterior tensors in the file of a model.
POSTERIOR = "posterior"

#: The version of the format, raised when it can no longer read older files.
SCHEMA = 1


def save_checkpoint(
    path: Path, tensors: dict[str, Tensor], meta: dict[str, Any]
) -> int:
    r"""Writes tensors and plain values to one file, atomically. Returns the
    checksum of the tensors.

    Args:
        path (pathlib.Path): The file.
        tensors (dict): The tensors by name.
        meta (dict): The other values, of types that JSON has.
    """
    # Tensors in safetensors files must not share memory.
    tensors = {
        name: tensor.detach().cpu().contiguous().clone()
        for name, tensor in tensors.items()
    }
    crc32 = _crc32(tensors)
    document = {"schema": SCHEMA, "crc32": crc32, **meta}
    header = {"pyg_cagp": json.dumps(document, allow_nan=False)}
    write_atomically(path, save(tensors, header))
    return crc32


def load_checkpoint(
    path: Path, *, device: torch.device | str = "cpu"
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    r"""Reads the file that :func:`save_checkpoint` wrote.

    Args:
        path (pathlib.Path): The file.
        device (torch.device or str, optional): The device of the tensors.
            (default: :obj:`"cpu"`)
    """
    try:
        with safe_open(path, "pt") as file:
            header = file.metadata() or {}
            if "pyg_cagp" not in header:
                raise ValueError("its header has no 'pyg_cagp'")
            names = list(file.keys())
            tensors = {name: file.get_tensor(name) for name in names}
        meta = dict(json.loads(header["pyg_cagp"]))
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint '{path}'") from None
    except (SafetensorError, KeyError, TypeError, ValueError, OSError) as error:
        raise CheckpointError(
            f"'{path}' is not a checkpoint of pyg_cagp ({error})"
        ) from None
    if meta.get("schema") != SCHEMA:
        raise CheckpointError(
            f"'{path}' has schema {meta.get('schema')}, this version reads "
            f"{SCHEMA}; {UPGRADE}"
        )
    if meta.get("crc32") != _crc32(tensors):
        raise CheckpointError(
            f"'{path}' is damaged: its tensors are not those that were written"
        )
    return {key: value.to(device) for key, value in tensors.items()}, meta


def _crc32(tensors: dict[str, Tensor]) -> int:
    total = 0
    for name in sorted(tensors):
        total = zlib.crc32(name.encode(), total)
        total = zlib.crc32(tensors[name].numpy().tobytes(), total)
    return total


def nest(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    r"""Puts a prefix before the names of tensors."""
    return {f"{prefix}.{name}": tensor for name, tensor in tensors.items()}


def unnest(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    r"""Returns the tensors whose names have a prefix, without it."""
    prefix = f"{prefix}."
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def model_tensors(model: GaussianKGEModel) -> dict[str, Tensor]:
    r"""Returns the tensors of a model and of its current posterior."""
    posterior = model.posterior
    if posterior is model.trained_posterior:
        return model.state_dict()
    return model.state_dict() | nest(POSTERIOR, posterior.state_dict())
