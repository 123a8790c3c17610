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
from pyg_cagp.nn.posterior import LaplacePosterior
from pyg_cagp.uncertainty import (
    CAGP,
    EvidenceUncertainty,
    SemanticUncertainty,
    StructuralUncertainty,
)

__version__ = "0.1.0"

__all__ = [
    "CAGP",
    "Coverage",
    "EvidenceUncertainty",
    "GaussianComplEx",
    "GaussianDistMult",
    "GaussianRotatE",
    "GaussianTransE",
    "LaplacePosterior",
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
