r"""Knowing when a knowledge-graph prediction should not be trusted.

A name is imported from its subpackage on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyg_cagp import (
        coverage,
        data,
        datasets,
        evaluate,
        inference,
        metrics,
        nn,
        protocols,
        theory,
        train,
        transforms,
        uncertainty,
    )
    from pyg_cagp.coverage import Coverage
    from pyg_cagp.inference import Predictor
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

#: The module of each name.
_MODULES = {
    "CAGP": "uncertainty",
    "Coverage": "coverage",
    "EvidenceUncertainty": "uncertainty",
    "GaussianComplEx": "nn.kge",
    "GaussianDistMult": "nn.kge",
    "GaussianRotatE": "nn.kge",
    "GaussianTransE": "nn.kge",
    "LaplacePosterior": "nn.posterior",
    "Predictor": "inference",
    "SemanticUncertainty": "uncertainty",
    "StructuralUncertainty": "uncertainty",
}

__all__ = [
    "CAGP",
    "Coverage",
    "EvidenceUncertainty",
    "GaussianComplEx",
    "GaussianDistMult",
    "GaussianRotatE",
    "GaussianTransE",
    "LaplacePosterior",
    "Predictor",
    "SemanticUncertainty",
    "StructuralUncertainty",
    "__version__",
    "coverage",
    "data",
    "datasets",
    "evaluate",
    "inference",
    "metrics",
    "nn",
    "protocols",
    "theory",
    "train",
    "transforms",
    "uncertainty",
]

# Type checkers see the imports above, and report every other name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        elif name in __all__:
            value = import_module(f"{__name__}.{name}")
        else:
            raise AttributeError(
                f"module '{__name__}' has no attribute '{name}'"
            )
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
