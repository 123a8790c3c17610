r"""One piece of the grid: what it is, what it needs, what decides it."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmark.paper.code_version import code_version

if TYPE_CHECKING:
    from benchmark.paper.workshop import Workshop


@dataclass(frozen=True)
class Cell:
    r"""A computation that is done once and leaves one record.

    Args:
        name (str): Its name, which is the path of its record.
        compute (callable): Takes the workshop, the name of the graph and
            :obj:`inputs`, and returns figures.
        dataset (str): The graph it looks at.
        inputs (dict, optional): All else that decides its figures.
        needs (tuple, optional): The names of cells that come first.
        keeps (str, optional): The name of what it keeps in the workshop for
            other cells. (default: :obj:`None`)
        alone (bool, optional): If set to :obj:`True`, nothing else may run at
            the same time. (default: :obj:`False`)
        large (bool, optional): If set to :obj:`True`, it needs so much memory
            that two such cells never run at the same time.
            (default: :obj:`False`)
        config (dict, optional): What it will find by itself, such as a shipped
            config, and hangs on as well.
    """

    name: str
    compute: Callable[..., dict[str, Any]]
    dataset: str
    inputs: dict[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    keeps: str | None = None
    alone: bool = False
    large: bool = False
    config: dict[str, Any] = field(default_factory=dict)

    def key(
        self, data_digest: str, needed: Mapping[str, str] | None = None
    ) -> str:
        r"""Returns a digest of everything that decides the figures.

        Args:
            data_digest (str): That of the graph.
            needed (dict, optional): The keys of the cells it needs, by name: if
                one of them changes, so does this one. (default: :obj:`None`)
        """
        content = {
            "name": self.name,
            "inputs": self.inputs,
            "config": self.config,
            "needs": {name: (needed or {}).get(name) for name in self.needs},
            "code": code_version(self.compute.__module__),
            "data": data_digest,
        }
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def run(self, workshop: "Workshop") -> dict[str, Any]:
        r"""Computes the figures.

        Args:
            workshop (Workshop): Where graphs and models come from.
        """
        return self.compute(workshop, self.dataset, **self.inputs)


def cell_keys(
    cells: Sequence[Cell], digests: Mapping[str, str]
) -> dict[str, str]:
    r"""Returns the keys of cells by their names.

    Args:
        cells (sequence): The cells, each after those it needs.
        digests (dict): The digests of graphs; cells of others are left out.
    """
    keys: dict[str, str] = {}
    for cell in cells:
        if cell.dataset in digests:
            keys[cell.name] = cell.key(digests[cell.dataset], keys)
    return keys
