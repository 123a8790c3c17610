r"""Tables made from records, and from nothing else."""

from collections.abc import Callable
from typing import Any, NamedTuple

from benchmark.paper.tables.arrival import arrival
from benchmark.paper.tables.effort import effort
from benchmark.paper.tables.figures import does_read
from benchmark.paper.tables.layout import METHODS, WRITTEN, Layout
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.spread import Spread
from benchmark.paper.tables.table import Table
from benchmark.paper.tables.verdicts import CLAIMS, verdicts


class Made(NamedTuple):
    r"""A table that is more than rows and columns of figures.

    Args:
        make (callable): Makes the table of records.
        specs (Any): What refers to the records it reads.
    """

    make: Callable[[Records], Table]
    specs: Any = ()

    def reads(self, record: str) -> bool:
        r"""Returns whether a record has figures of the table."""
        return does_read(self.specs, record)


MADE = {
    "verdicts": Made(verdicts, CLAIMS),
    "arrival": Made(arrival, "arrival > weeks"),
    # It needs no record, though it reads all there are.
    "effort": Made(effort),
}

#: Every table by its name.
TABLES: dict[str, Layout | Made] = {
    name: MADE[name] if spec is None else Layout(name, **spec)
    for name, spec in WRITTEN["tables"].items()
}

__all__ = ["METHODS", "TABLES", "Records", "Spread", "Table"]
