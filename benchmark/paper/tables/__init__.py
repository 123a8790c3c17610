r"""Tables made from records, and from nothing else."""

from typing import Protocol

from benchmark.paper.tables.arrival import Arrival
from benchmark.paper.tables.effort import Effort
from benchmark.paper.tables.layout import METHODS, WRITTEN, Layout
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.spread import Spread
from benchmark.paper.tables.table import Table
from benchmark.paper.tables.verdicts import Verdicts


class Maker(Protocol):
    r"""Makes a table of records, and names the records it reads."""

    heading: str
    one_graph: bool

    def make(self, records: Records) -> Table:
        r"""Returns the table of some records."""

    def reads(self, record: str) -> bool:
        r"""Returns whether a record has figures of the table."""


#: Tables that are more than rows and columns of figures.
MAKERS: dict[str, Maker] = {
    "verdicts": Verdicts(),
    "arrival": Arrival(),
    "effort": Effort(),
}

#: Every table by its name.
TABLES: dict[str, Maker] = {
    name: MAKERS[name] if spec is None else Layout(name, **spec)
    for name, spec in WRITTEN["tables"].items()
}

__all__ = ["METHODS", "TABLES", "Maker", "Records", "Spread", "Table"]
