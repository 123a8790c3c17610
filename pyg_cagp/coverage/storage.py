r"""Reads and writes coverage as safetensors files."""

from pathlib import Path
from typing import TypeVar

from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_bytes

from pyg_cagp._utils.files import write_atomically
from pyg_cagp.coverage.store import ARRAYS, CompressedPairs
from pyg_cagp.exceptions import DatasetFormatError

P = TypeVar("P", bound=CompressedPairs)

FORMAT = "pyg_cagp.coverage"
VERSION = 1


def save(pairs: CompressedPairs, path: Path) -> None:
    r"""Writes an index to a file."""
    metadata = {
        "format": FORMAT,
        "version": str(VERSION),
        "num_relations": str(pairs.num_relations),
    }
    tensors = {k: t.contiguous().cpu() for k, t in pairs.tensors().items()}
    write_atomically(path, to_bytes(tensors, metadata))


def load(cls: type[P], path: Path, mmap: bool) -> P:
    r"""Reads an index from a file, mapped or copied into memory."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no coverage file '{path}'")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise DatasetFormatError(
                    f"'{path}' is not a coverage file of pyg_cagp"
                )
            if int(metadata["version"]) > VERSION:
                raise DatasetFormatError(
                    f"'{path}' has version {metadata['version']}, this "
                    f"pyg_cagp reads up to {VERSION}; upgrade pyg_cagp"
                )
            num_relations = int(metadata["num_relations"])
            tensors = {key: file.get_tensor(key) for key in ARRAYS}
        if not mmap:
            tensors = {key: tensor.clone() for key, tensor in tensors.items()}
        pairs = cls(**tensors, num_relations=num_relations)
        pairs.check()
    except DatasetFormatError:
        raise
    except (SafetensorError, KeyError, ValueError) as error:
        raise DatasetFormatError(
            f"'{path}' is not a complete coverage file ({error})"
        ) from error
    return pairs
