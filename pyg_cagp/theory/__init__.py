r"""The paper's assumptions and theorems, as measurements on any graph."""

from pyg_cagp.theory.assumptions import assumptions
from pyg_cagp.theory.circularity import circularity
from pyg_cagp.theory.overlap import frequency_distance, frequency_overlap
from pyg_cagp.theory.signals import (
    Signals,
    kind_auroc,
    normalised_semantic,
    signals,
)
from pyg_cagp.theory.theorems import theorems

classes = ["Signals"]
functions = [
    "assumptions",
    "circularity",
    "frequency_distance",
    "frequency_overlap",
    "kind_auroc",
    "normalised_semantic",
    "signals",
    "theorems",
]

__all__ = classes + functions
