r"""Estimators of doubt: one interface, one file a method."""

from pyg_cagp.uncertainty.base import UncertaintyEstimator
from pyg_cagp.uncertainty.cagp import CAGP, SimpleAverage
from pyg_cagp.uncertainty.confidence import (
    BEUrREUncertainty,
    ConfidenceUncertainty,
    UKGEUncertainty,
)
from pyg_cagp.uncertainty.ensemble import DeepEnsemble, disagreement
from pyg_cagp.uncertainty.evidence import EvidenceUncertainty
from pyg_cagp.uncertainty.features import Evidence
from pyg_cagp.uncertainty.gpn import GraphPosteriorNetwork
from pyg_cagp.uncertainty.mc_dropout import MCDropout
from pyg_cagp.uncertainty.possible import PossiblePairs
from pyg_cagp.uncertainty.relation_variance import (
    RelationConditionedVariance,
)
from pyg_cagp.uncertainty.score import Energy, ScoreUncertainty
from pyg_cagp.uncertainty.semantic import (
    FrequencyUncertainty,
    SemanticUncertainty,
    normalised_semantic,
)
from pyg_cagp.uncertainty.sngp import SNGP
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
    "ConfidenceUncertainty",
    "UKGEUncertainty",
    "BEUrREUncertainty",
    "RelationConditionedVariance",
    "DeepEnsemble",
    "MCDropout",
    "SNGP",
    "GraphPosteriorNetwork",
]
functions = ["disagreement", "normalised_semantic"]

__all__ = classes + functions
