r"""Figures of records, over seeds."""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from benchmark.paper.baselines import OTHERS
from benchmark.paper.store import Store
from benchmark.paper.tables.spread import Spread, spread

#: The graphs, in the order of tables.
DATASETS = (
    "fb15k-237",
    "wn18rr",
    "icews14",
    "codex-s",
    "yago-sample",
    "yago3-10",
)

#: The experiments that compute the baselines of other experiments.
TWINS = {"detection": "baselines", "errors": "baseline-errors"}


class Records:
    r"""The figures in the records of a store.

    Args:
        store (Store): The store.
        datasets (sequence, optional): If given, records of other graphs are
            left out. (default: :obj:`None`)
        seeds (int, optional): If given, records of later seeds are left out.
            (default: :obj:`None`)
    """

    def __init__(
        self,
        store: Store,
        datasets: Collection[str] | None = None,
        seeds: int | None = None,
    ) -> None:
        self.store = store
        self.num_seeds = 1
        self.names: list[str] = []
        self._by_seed: dict[str, dict[int, str]] = {}
        for name in store.names:
            prefix, seed = split_seed(name)
            if datasets is not None and name.split("/")[0] not in datasets:
                continue
            if seeds is not None and (seed or 0) >= seeds:
                continue
            self.names.append(name)
            if seed is not None:
                self._by_seed.setdefault(prefix, {})[seed] = name
                self.num_seeds = max(self.num_seeds, seed + 1)
        self._there = set(self.names)

    def one(self, name: str) -> dict[str, Any] | None:
        r"""Returns the result of one experiment, or :obj:`None`."""
        record = self.store.read(name) if name in self._there else None
        return None if record is None else record["result"]

    def seeds(self, prefix: str) -> list[dict[str, Any]]:
        r"""Returns the results of an experiment with every seed."""
        if "*" in prefix:
            pattern = re.escape(prefix).replace(r"\*", "[^/]+")
            there = [n for n in self._by_seed if re.fullmatch(pattern, n)]
            prefix = there[0] if there else prefix
        names = self._by_seed.get(prefix, {})
        return [self.one(names[seed]) for seed in sorted(names)]  # type: ignore[misc]

    def inputs(self, part: str) -> dict[str, Any]:
        r"""Returns the inputs of the first experiment of a kind."""
        for name in self.names:
            if part in f"{name}/":
                return (self.store.read(name) or {}).get("inputs", {})
        return {}

    def values(self, prefix: str, *path: str) -> list[Any]:
        r"""Returns a figure with every seed that has it."""
        if path[0] == "methods":
            prefix = home(prefix, path[1])
        values = [walk(result, path) for result in self.seeds(prefix)]
        return [value for value in values if value is not None]

    def spread(self, prefix: str, *path: str, digits: int = 4) -> Spread | None:
        r"""Returns the mean of a figure over seeds, with the interval of
        Student's t.
        """
        numbers = [float(value) for value in self.values(prefix, *path)]
        return self.spread_of(numbers, digits)

    def spread_of(self, numbers: list[float], digits: int = 4) -> Spread | None:
        r"""Returns the mean of numbers, one for each seed that has one."""
        figure = spread(numbers, digits)
        if figure is not None and len(numbers) < self.num_seeds:
            figure = replace(figure, seeds=len(numbers))
        return figure

    def datasets(self) -> list[str]:
        r"""Returns the graphs there are records of, in the order of tables."""
        there = {name.split("/")[0] for name in self.names}
        first = [name for name in DATASETS if name in there]
        return [*first, *sorted(there - set(first))]


def split_seed(name: str) -> tuple[str, int | None]:
    r"""Returns the name of a record without its seed, and the seed."""
    prefix, _, last = name.rpartition("/")
    return (prefix, int(last)) if last.isdigit() else (name, None)


def twin(name: str) -> str:
    r"""Returns the name of the experiment that computes the baselines of
    another, or the name itself.
    """
    parts = (TWINS.get(part, part) for part in name.split("/"))
    return "/".join(parts)


def home(name: str, method: str) -> str:
    r"""Returns which experiment has a method: one, or its twin."""
    return twin(name) if method in OTHERS else name


def walk(result: Any, path: Collection[str]) -> Any:
    r"""Returns the value at a path of keys, or :obj:`None`."""
    for key in path:
        if not isinstance(result, dict) or key not in result:
            return None
        result = result[key]
    return result
