r"""Knowing when a knowledge-graph prediction should not be trusted."""

from pyg_cagp import coverage, data, datasets, evaluate, transforms
from pyg_cagp.coverage import Coverage

__version__ = "0.1.0"

__all__ = [
    "Coverage",
    "__version__",
    "coverage",
    "data",
    "datasets",
    "evaluate",
    "transforms",
]
