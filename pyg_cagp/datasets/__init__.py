r"""Datasets that PyG lacks, a generator of graphs, and graphs from files."""

from pyg_cagp.datasets.codex import CoDEx
from pyg_cagp.datasets.folder import KGFolder
from pyg_cagp.datasets.icews import ICEWS14
from pyg_cagp.datasets.registry import load, names
from pyg_cagp.datasets.synthetic import SyntheticKG
from pyg_cagp.datasets.uncertain import UncertainKG
from pyg_cagp.datasets.yago import YAGO3_10

classes = [
    "YAGO3_10",
    "ICEWS14",
    "CoDEx",
    "UncertainKG",
    "KGFolder",
    "SyntheticKG",
]
functions = ["load", "names"]

__all__ = classes + functions
