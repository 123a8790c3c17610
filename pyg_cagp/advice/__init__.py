r"""Advice about a user's own triples, from the folder of a run alone."""

from pyg_cagp.advice.adviser import Adviser
from pyg_cagp.advice.kinds import KINDS
from pyg_cagp.advice.prediction import Answer, Prediction
from pyg_cagp.advice.prepare import prepare
from pyg_cagp.advice.score_file import ScoreSummary, score_file
from pyg_cagp.advice.table import ScoreTable
from pyg_cagp.advice.update import UpdateSummary, update

classes = [
    "Adviser",
    "Answer",
    "Prediction",
    "ScoreSummary",
    "ScoreTable",
    "UpdateSummary",
]
functions = ["prepare", "score_file", "update"]

__all__ = classes + functions
