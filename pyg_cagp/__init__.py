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
    uncertainty,
)
from pyg_cagp.coverage import Coverage
from pyg_cagp.nn.kge import (
    GaussianComplEx,
    GaussianDistMult,
    GaussianRotatE,
    GaussianTransE,
)
from pyg_cagp.uncertainty import (
    CAGP,
    SemanticUncertainty,
    StructuralUncertainty,
)

__version__ = "0.1.0"

__all__ = [
    "CAGP",
    "Coverage",
    "GaussianComplEx",
    "GaussianDistMult",
    "GaussianRotatE",
    "GaussianTransE",
    "SemanticUncertainty",
    "StructuralUncertainty",
    "__version__",
    "coverage",
    "data",
    "datasets",
    "evaluate",
    "metrics",
    "nn",
    "theory",
    "transforms",
    "uncertainty",
]
