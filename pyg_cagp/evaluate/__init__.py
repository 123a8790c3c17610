r"""Evaluation of models, estimators and partitions."""

from pyg_cagp.evaluate.conformal import conformal
from pyg_cagp.evaluate.error_ranking import error_ranking, predictions
from pyg_cagp.evaluate.groups import relation_categories
from pyg_cagp.evaluate.leakage import circularity
from pyg_cagp.evaluate.ood import ood
from pyg_cagp.evaluate.partition import partition_summary
from pyg_cagp.evaluate.ranking import ranking
from pyg_cagp.evaluate.result import Result
from pyg_cagp.evaluate.results import (
    CircularityResult,
    ConformalResult,
    ErrorRankingResult,
    OODResult,
    PartitionResult,
    RankingResult,
    SpreadResult,
)
from pyg_cagp.evaluate.seeds import seed_spread

classes = [
    "CircularityResult",
    "ConformalResult",
    "ErrorRankingResult",
    "OODResult",
    "PartitionResult",
    "RankingResult",
    "Result",
    "SpreadResult",
]
functions = [
    "circularity",
    "conformal",
    "error_ranking",
    "ood",
    "partition_summary",
    "predictions",
    "ranking",
    "relation_categories",
    "seed_spread",
]

__all__ = classes + functions
