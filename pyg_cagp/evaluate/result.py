r"""The result of an evaluation: figures, a table and a file."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor

from pyg_cagp._utils.table import data_frame, format_table
from pyg_cagp._utils.versions import package_versions
from pyg_cagp.evaluate.record import SCHEMA, plain, read_record, write_record


@dataclass(frozen=True, eq=False, repr=False)
class Result(Mapping):
    r"""The result of an evaluation: its figures, the arguments that determine
    them, and the values of each triple.

    A result is a mapping of its figures: :obj:`result["mrr"]`. Its
    :meth:`repr` is a table of the main figures.

    Args:
        protocol (str): The name of the evaluation.
        metrics (dict): The figures.
        config (dict, optional): All arguments that determine the figures.
        graph (dict, optional): The sizes of the graph and its digest.
        samples (dict, optional): Tensors with a value for each triple or query.
        seed (int, optional): The seed. (default: :obj:`0`)
        versions (dict, optional): The versions of the packages in use.

    Example:
        >>> result = Result("mine", {"mrr": 0.5})
        >>> result["mrr"]
        0.5
        >>> result
        Result(protocol='mine', seed=0)
           mrr
        0.5000
    """

    #: The columns of :meth:`table` that the repr shows; all if empty.
    columns: ClassVar[tuple[str, ...]] = ()

    protocol: str
    metrics: dict[str, Any]
    config: dict[str, Any] = field(default_factory=dict)
    graph: dict[str, Any] = field(default_factory=dict)
    samples: dict[str, Tensor] = field(default_factory=dict)
    seed: int = 0
    versions: dict[str, str] = field(default_factory=package_versions)

    def __post_init__(self) -> None:
        samples = {k: v.detach().cpu() for k, v in self.samples.items()}
        object.__setattr__(self, "samples", samples)
        for part in fields(self):
            if not part.init:
                object.__setattr__(self, part.name, self.metrics[part.name])

    # Figures #################################################################

    def __getitem__(self, key: str) -> Any:
        return self.metrics[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def table(self) -> list[dict[str, Any]]:
        r"""Returns the main figures, one row for each method or group."""
        return rows([self.metrics])

    def to_frame(self, part: str | None = None) -> Any:
        r"""Returns :meth:`table`, or another part of the figures, as a
        :class:`pandas.DataFrame`.

        Args:
            part (str, optional): The name of the other part, such as
                :obj:`"by_relation"` or :obj:`"comparisons"`.
                (default: :obj:`None`)
        """
        return data_frame(self.table() if part is None else rows(self[part]))

    def __repr__(self) -> str:
        table = self.table()
        keys = dict.fromkeys(key for row in table for key in row)
        names = self.columns or tuple(keys)
        values = [tuple(row.get(name) for name in names) for row in table]
        return (
            f"{self.__class__.__name__}(protocol={self.protocol!r}, "
            f"seed={self.seed})\n{format_table([names, *values])}"
        )

    # Files ###################################################################

    def to_dict(self) -> dict[str, Any]:
        r"""Returns everything except the samples, ready for JSON. NaN and
        infinity become :obj:`None`.
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

    def save(self, path: str | Path, *, samples: bool = True) -> Path:
        r"""Writes the result to a JSON file, and its samples to a NumPy file in
        the same folder, both atomically.

        Args:
            path (str or pathlib.Path): The JSON file.
            samples (bool, optional): If set to :obj:`False`, leaves out the
                samples. (default: :obj:`True`)
        """
        path = Path(path)
        write_record(path, self.to_dict(), self.samples if samples else {})
        return path

    @staticmethod
    def load(path: str | Path) -> "Result":
        r"""Reads a result that :meth:`save` has written.

        Args:
            path (str or pathlib.Path): The JSON file.
        """
        # That module imports this one.
        from pyg_cagp.evaluate import results

        document, samples = read_record(Path(path))
        kind = results.CLASSES.get(document["protocol"], Result)
        return kind(**document, samples=samples)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result) or self.to_dict() != other.to_dict():
            return False
        return self.samples.keys() == other.samples.keys() and all(
            torch.equal(tensor, other.samples[name])
            for name, tensor in self.samples.items()
        )

    def __hash__(self) -> int:
        return hash(json.dumps(self.to_dict(), sort_keys=True))


def rows(
    parts: Mapping[str, Mapping[str, Any]] | Sequence[Mapping[str, Any]],
    name: str = "name",
) -> list[dict[str, Any]]:
    r"""Returns one row for each part, with the figures that are single values.

    Example:
        >>> rows({"all": {"mrr": 0.5, "parts": [1, 2]}})
        [{'name': 'all', 'mrr': 0.5}]
    """
    if isinstance(parts, Mapping):
        parts = [{name: key, **part} for key, part in parts.items()]
    return [
        {k: v for k, v in part.items() if not isinstance(v, (dict, list))}
        for part in parts
    ]
