r"""Every table of the paper, computed again, and the tables it lacks."""

from benchmark.paper.budget import FULL, QUICK, Budget
from benchmark.paper.grid import Grid
from benchmark.paper.run import run_cells
from benchmark.paper.store import Store
from benchmark.paper.tables import (
    TABLES,
    Records,
    Table,
)
from benchmark.paper.workshop import Workshop

__all__ = [
    "FULL",
    "QUICK",
    "TABLES",
    "Budget",
    "Grid",
    "Records",
    "Store",
    "Table",
    "Workshop",
    "run_cells",
]
