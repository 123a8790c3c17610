r"""Figures of records, over seeds."""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from scipy.stats import t

from benchmark.paper.store import Store
from benchmark.paper.tables.table import Spread

#: How confident intervals are.
LEVEL = 0.95


class Records:
    r"""Looks up figures in the records of a store.

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
        self._read: dict[str, dict[str, Any]] = {}
        self.names = [
            name
            for name in store.names()
            if (datasets is None or name.split("/")[0] in datasets)
            and (seeds is None or (_seed(name) or 0) < seeds)
        ]
        found = [_seed(name) for name in self.names]
        self.num_seeds = 1 + max((s for s in found if s is not None), default=0)

    def one(self, name: str) -> dict[str, Any] | None:
        r"""Returns the result of one cell, or :obj:`None`."""
        if name not in self.names:
            return None
        if name not in self._read:
            record = self.store.read(name)
            assert record is not None
            self._read[name] = record["result"]
        return self._read[name]

    def seeds(self, name: str) -> list[dict[str, Any]]:
        r"""Returns the results of a cell with every seed.

        Args:
            name (str): Its name without the seed.
        """
        pattern = re.compile(rf"{re.escape(name)}/\d+")
        found = [n for n in self.names if pattern.fullmatch(n)]
        found.sort(key=lambda n: int(n.rsplit("/", 1)[1]))
        return [self.one(n) for n in found]  # type: ignore[misc]

    def inputs(self, part: str) -> dict[str, Any]:
        r"""Returns what the first cell of some kind was computed with.

        Args:
            part (str): A part of its name.
        """
        for name in self.names:
            if part in f"{name}/":
                return (self.store.read(name) or {}).get("inputs", {})
        return {}

    def spread(self, name: str, *path: str, digits: int = 4) -> Spread | None:
        r"""Returns the mean of a figure over seeds, with the interval of
        Student's t.

        Args:
            name (str): The name of the cell without the seed.
            *path (str): The keys that lead to the figure.
            digits (int, optional): How many digits are shown.
                (default: :obj:`4`)
        """
        values = [_walk(result, path) for result in self.seeds(name)]
        return self.spread_of(
            [float(v) for v in values if v is not None], digits
        )

    def spread_of(self, numbers: list[float], digits: int = 4) -> Spread | None:
        r"""Returns the mean of numbers, one for each seed that has one.

        Args:
            numbers (list): The numbers.
            digits (int, optional): How many digits are shown.
                (default: :obj:`4`)
        """
        found = spread(numbers, digits)
        if found is not None and len(numbers) < self.num_seeds:
            found = replace(found, seeds=len(numbers))
        return found

    def datasets(self, order: tuple[str, ...]) -> list[str]:
        r"""Returns which graphs there are records of.

        Args:
            order (tuple): Those that come first, in their order.
        """
        there = {name.split("/")[0] for name in self.names}
        first = [name for name in order if name in there]
        return [*first, *sorted(there - set(first))]


def spread(numbers: list[float], digits: int = 4) -> Spread | None:
    r"""Returns the mean of some numbers with its interval.

    Args:
        numbers (list): The numbers.
        digits (int, optional): How many digits are shown.
            (default: :obj:`4`)

    Example:
        >>> print(spread([0.1, 0.2, 0.3], 2))
        0.20 ± 0.25
    """
    if not numbers:
        return None
    count = len(numbers)
    mean = sum(numbers) / count
    if count == 1:
        return Spread(mean, None, digits)
    if len(set(numbers)) == 1:  # Not what is left of rounding.
        return Spread(numbers[0], 0.0, digits)
    variance = sum((x - mean) ** 2 for x in numbers) / (count - 1)
    factor = float(t.ppf((1 + LEVEL) / 2, count - 1))
    return Spread(mean, factor * (variance / count) ** 0.5, digits)


def _seed(name: str) -> int | None:
    last = name.rsplit("/", 1)[-1]
    return int(last) if last.isdigit() else None


def _walk(found: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        if not isinstance(found, dict) or key not in found:
            return None
        found = found[key]
    return found
