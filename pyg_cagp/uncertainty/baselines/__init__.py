r"""Baselines: methods of other papers, most of which train a model."""

from pyg_cagp.uncertainty.baselines.confidence import (
    BEUrREUncertainty,
    ConfidenceUncertainty,
    UKGEUncertainty,
)
from pyg_cagp.uncertainty.baselines.ensemble import DeepEnsemble, disagreement
from pyg_cagp.uncertainty.baselines.gpn import GraphPosteriorNetwork
from pyg_cagp.uncertainty.baselines.mc_dropout import MCDropout
from pyg_cagp.uncertainty.baselines.relation_variance import (
    RelationConditionedVariance,
)
from pyg_cagp.uncertainty.baselines.sngp import SNGP

classes = [
    "DeepEnsemble",
    "MCDropout",
    "SNGP",
    "GraphPosteriorNetwork",
    "RelationConditionedVariance",
    "ConfidenceUncertainty",
    "UKGEUncertainty",
    "BEUrREUncertainty",
]
functions = ["disagreement"]

__all__ = classes + functions
