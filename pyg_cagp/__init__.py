r"""Knowing when a knowledge-graph prediction should not be trusted."""

from pyg_cagp import (
    coverage,
    data,
    datasets,
    evaluate,
    metrics,
    nn,
    theory,
    transforms,
)
from pyg_cagp.coverage import Coverage
from pyg_cagp.nn.kge import (
    GaussianComplEx,
    GaussianDistMult,
    GaussianRotatE,
    GaussianTransE,
)

__version__ = "0.1.0"

__all__ = [
    "Coverage",
    "GaussianComplEx",
    "GaussianDistMult",
    "GaussianRotatE",
    "GaussianTransE",
    "__version__",
    "coverage",
    "data",
    "datasets",
    "evaluate",
    "metrics",
    "nn",
    "theory",
    "transforms",
]
