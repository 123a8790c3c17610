r"""Estimators of the uncertainty of triples."""

from pyg_cagp.uncertainty import baselines
from pyg_cagp.uncertainty.base import UncertaintyEstimator
from pyg_cagp.uncertainty.cagp import CAGP, SimpleAverage
from pyg_cagp.uncertainty.evidence import EvidenceUncertainty
from pyg_cagp.uncertainty.features import Evidence
from pyg_cagp.uncertainty.possible import PossiblePairs
from pyg_cagp.uncertainty.score import Energy, ScoreUncertainty
from pyg_cagp.uncertainty.semantic import (
    FrequencyUncertainty,
    SemanticUncertainty,
    normalised_semantic,
)
from pyg_cagp.uncertainty.structural import StructuralUncertainty

classes = [
    "UncertaintyEstimator",
    "SemanticUncertainty",
    "FrequencyUncertainty",
    "StructuralUncertainty",
    "PossiblePairs",
    "SimpleAverage",
    "CAGP",
    "Evidence",
    "EvidenceUncertainty",
    "ScoreUncertainty",
    "Energy",
]
functions = ["normalised_semantic"]

__all__ = ["baselines"]
__all__ += classes + functions
