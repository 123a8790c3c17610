r"""Every table of the paper, computed again, and the tables it lacks."""

from pyg_cagp.reproduce.budget import FULL, QUICK, Budget
from pyg_cagp.reproduce.grid import Grid
from pyg_cagp.reproduce.run import run_cells
from pyg_cagp.reproduce.store import Store
from pyg_cagp.reproduce.tables import (
    OF_ONE_GRAPH,
    TABLES,
    Records,
    Table,
)
from pyg_cagp.reproduce.workshop import Workshop

__all__ = [
    "FULL",
    "OF_ONE_GRAPH",
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
