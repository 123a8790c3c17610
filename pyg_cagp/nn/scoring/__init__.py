r"""Scores of all entities as answers: ranks, softmax terms, best answers."""

from pyg_cagp.nn.scoring.prediction import top_answers
from pyg_cagp.nn.scoring.ranking import RankCounts, rank_counts
from pyg_cagp.nn.scoring.scorer import Scorer, as_scorer
from pyg_cagp.nn.scoring.softmax_terms import (
    AnswerTerms,
    SoftmaxTerms,
    softmax_terms,
)

classes = ["AnswerTerms", "RankCounts", "Scorer", "SoftmaxTerms"]
functions = ["as_scorer", "rank_counts", "softmax_terms", "top_answers"]

__all__ = classes + functions
