r"""The records of experiments: one JSON Lines file a dataset and kind."""

import hashlib
import json
import platform
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from benchmark.paper.stages import code_digests, commit
from pyg_cagp._utils.files import write_atomically
from pyg_cagp._utils.versions import package_versions
from pyg_cagp.evaluate.record import plain
from pyg_cagp.exceptions import DatasetFormatError

if TYPE_CHECKING:
    from benchmark.paper.experiment import Experiment

SCHEMA = 2

#: Figures are stored with this many digits, more than any table shows.
DIGITS = 6


class Store:
    r"""A folder of records. A record holds its name, its identity, its figures
    and its provenance: commit, code, versions, processor features, time.

    Args:
        folder (str or pathlib.Path): The folder.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._records: dict[str, dict[str, Any]] = {}
        for path in sorted(self.folder.glob("*/*.jsonl")):
            self._read(path)

    def _read(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        for row, line in enumerate(text.splitlines(), 1):
            try:
                record = json.loads(line)
                schema = record["schema"]
                name = record["name"]
            except (KeyError, TypeError, ValueError):
                raise DatasetFormatError(
                    f"line {row} of '{path}' is not a record; delete the line "
                    f"to compute it again"
                ) from None
            if schema != SCHEMA:
                raise DatasetFormatError(
                    f"line {row} of '{path}' has schema {schema}, and this "
                    f"version reads {SCHEMA}; delete the file to compute it "
                    f"again"
                )
            self._records[name] = record

    @property
    def names(self) -> list[str]:
        r"""The names of all records, in order."""
        return sorted(self._records)

    def read(self, name: str) -> dict[str, Any] | None:
        r"""Returns a record, or :obj:`None`."""
        return self._records.get(name)

    def has(self, experiment: "Experiment", data: str) -> bool:
        r"""Returns whether there is a record of this identity."""
        record = self.read(experiment.name)
        return record is not None and all(
            record[key] == value
            for key, value in experiment.identity(data).items()
        )

    def write(
        self,
        experiment: "Experiment",
        data: str,
        result: dict[str, Any],
        provenance: dict[str, Any],
    ) -> None:
        r"""Writes a record atomically."""
        record = {
            "schema": SCHEMA,
            "name": experiment.name,
            **experiment.identity(data),
            "inputs": experiment.inputs,
            "result": rounded(plain(result)),
            "provenance": provenance,
        }
        self.add([record])

    def add(self, records: Iterable[dict[str, Any]]) -> None:
        r"""Adds records in place of those of the same name."""
        changed = set()
        for record in records:
            self._records[record["name"]] = record
            changed.add(tuple(record["name"].split("/")[:2]))
        for dataset, kind in sorted(changed):
            path = self.folder / dataset / f"{kind}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [
                json.dumps(self._records[name], allow_nan=False)
                for name in self.names
                if name.split("/")[:2] == [dataset, kind]
            ]
            write_atomically(path, ("\n".join(lines) + "\n").encode())


def provenance(stages: Iterable[str], seconds: float) -> dict[str, Any]:
    r"""Returns the provenance of a result that is computed now."""
    code = code_digests()
    return {
        "commit": commit(),
        "code": {name: code[name] for name in stages},
        "environment": environment(),
        "threads": torch.get_num_threads(),
        "seconds": round(seconds, 2),
    }


def environment() -> dict[str, Any]:
    r"""Returns the environment, which the last bits of a result depend on."""
    return {
        "versions": package_versions(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "processor": _processor(),
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def rounded(value: Any) -> Any:
    r"""Returns figures with as many digits as are stored."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return value


def digest(value: Any) -> str:
    r"""Returns a short digest of anything that JSON can hold."""
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def figures(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    r"""Yields every figure of a result but times, each with its place."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key != "seconds":
                yield from figures(part, f"{place}/{key}")
    elif isinstance(value, list | tuple):
        for row, part in enumerate(value):
            yield from figures(part, f"{place}/{row}")
    else:
        yield place, value
