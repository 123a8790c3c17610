r"""What an evaluation leaves behind."""

import json
import math
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.files import (
    atomic_path,
    check_target,
    write_atomically,
)
from pyg_cagp._utils.versions import package_versions
from pyg_cagp.data import describe_graph
from pyg_cagp.exceptions import DatasetFormatError, InvalidInputError

SCHEMA = 1


@dataclass(frozen=True, eq=False)
class Record(Mapping):
    r"""The result of one evaluation: figures, what they were computed from,
    and the values of single triples they are made of.

    It is a mapping of its figures: :obj:`record["mrr"]`.

    Args:
        protocol (str): What was done.
        config (dict): How it was done: every argument that decides the result.
        graph (dict): The sizes of the graph and its digest.
        metrics (dict): The figures.
        samples (dict, optional): Tensors with one entry a triple or query.
        seed (int, optional): The seed of whatever was random.
            (default: :obj:`0`)
        versions (dict, optional): The versions of the packages in use.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> record = Record.make("mine", load("synthetic"), {}, {"mrr": 0.5})
        >>> record["mrr"]
        0.5
    """

    protocol: str
    config: dict[str, Any]
    graph: dict[str, Any]
    metrics: dict[str, Any]
    samples: dict[str, Tensor] = field(default_factory=dict, repr=False)
    seed: int = 0
    versions: dict[str, str] = field(
        default_factory=package_versions, repr=False
    )

    @classmethod
    def make(
        cls,
        protocol: str,
        kg: Data,
        config: dict[str, Any],
        metrics: dict[str, Any],
        samples: dict[str, Tensor] | None = None,
        seed: int = 0,
    ) -> "Record":
        r"""Returns the record of an evaluation that was just done."""
        samples = {
            name: tensor.detach().cpu()
            for name, tensor in (samples or {}).items()
        }
        return cls(protocol, config, describe_graph(kg), metrics, samples, seed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record) or self.to_dict() != other.to_dict():
            return False
        return self.samples.keys() == other.samples.keys() and all(
            torch.equal(tensor, other.samples[name])
            for name, tensor in self.samples.items()
        )

    def __hash__(self) -> int:
        return hash(json.dumps(self.to_dict(), sort_keys=True))

    def __getitem__(self, key: str) -> Any:
        return self.metrics[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def to_dict(self) -> dict[str, Any]:
        r"""Returns everything but the samples, ready for JSON. Numbers that
        JSON has no word for become :obj:`None`.
        """
        return {
            "schema": SCHEMA,
            "protocol": self.protocol,
            "seed": self.seed,
            "config": plain(self.config),
            "graph": self.graph,
            "versions": self.versions,
            "metrics": plain(self.metrics),
        }

    def save(self, path: str | Path, samples: bool = True) -> Path:
        r"""Writes the record to a JSON file, and its samples to a NumPy file
        beside it, each whole or not at all.

        Args:
            path (str or pathlib.Path): The JSON file.
            samples (bool, optional): If set to :obj:`False`, leaves out the
                samples. (default: :obj:`True`)
        """
        path = Path(path)
        check_target(path)
        if path.suffix == ".npz":
            raise InvalidInputError(
                f"'path' must be that of the JSON file (got '{path}')"
            )
        document = self.to_dict()
        beside = path.with_name(f"{path.name}.npz")
        if samples and self.samples:
            document["samples"] = beside.name
            with atomic_path(beside) as temporary, open(temporary, "wb") as out:
                arrays: dict[str, Any] = {
                    name: tensor.numpy()
                    for name, tensor in self.samples.items()
                }
                np.savez_compressed(out, **arrays)
        text = json.dumps(document, indent=2, allow_nan=False)
        write_atomically(path, (text + "\n").encode())
        return path

    @classmethod
    def load(cls, path: str | Path) -> "Record":
        r"""Reads a record that :meth:`save` has written.

        Args:
            path (str or pathlib.Path): The JSON file.
        """
        path = Path(path)
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            schema = document["schema"]
        except (KeyError, TypeError, ValueError) as error:
            raise _no_record(path, error) from None
        if schema != SCHEMA:
            raise DatasetFormatError(
                f"'{path}' is a record of schema {schema}, and this version "
                f"reads schema {SCHEMA}"
            )
        try:
            samples = {}
            if "samples" in document:
                with np.load(
                    path.with_name(document["samples"]), allow_pickle=False
                ) as arrays:
                    samples = {k: torch.from_numpy(arrays[k]) for k in arrays}
            keys = (
                "protocol",
                "config",
                "graph",
                "metrics",
                "seed",
                "versions",
            )
            return cls(**{k: document[k] for k in keys}, samples=samples)
        except (
            EOFError,
            KeyError,
            TypeError,
            ValueError,
            zipfile.BadZipFile,
        ) as error:
            raise _no_record(path, error) from None


def _no_record(path: Path, error: Exception) -> DatasetFormatError:
    return DatasetFormatError(
        f"'{path}' is not a whole record of an evaluation ({error!r})"
    )


def plain(value: Any) -> Any:
    r"""Returns a value as JSON can hold it; numbers that it has no word for
    become :obj:`None`.
    """
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
