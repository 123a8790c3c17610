r"""The paper's assumptions and theorems, as measurements on any graph."""

from pyg_cagp.theory.assumptions import Signals, assumptions, signals
from pyg_cagp.theory.overlap import frequency_distance, frequency_overlap
from pyg_cagp.theory.theorems import theorems

classes = ["Signals"]
functions = [
    "assumptions",
    "frequency_distance",
    "frequency_overlap",
    "signals",
    "theorems",
]

__all__ = classes + functions
