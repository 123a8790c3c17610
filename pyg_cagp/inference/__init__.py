r"""Advice about a user's own triples, from the folder of a run alone."""

from pyg_cagp.inference.kinds import KINDS
from pyg_cagp.inference.prediction import Answer, Prediction
from pyg_cagp.inference.predictor import Predictor
from pyg_cagp.inference.prepare import prepare
from pyg_cagp.inference.score_file import ScoreSummary, score_file
from pyg_cagp.inference.table import ScoreTable
from pyg_cagp.inference.update import UpdateSummary, update

classes = [
    "Predictor",
    "Answer",
    "Prediction",
    "ScoreSummary",
    "ScoreTable",
    "UpdateSummary",
]
functions = ["prepare", "score_file", "update"]

__all__ = classes + functions
