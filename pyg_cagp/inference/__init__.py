r"""Inference with a trained run: scores, answers and updates by names."""

from pyg_cagp.inference.files import ScoreSummary, score_file
from pyg_cagp.inference.prediction import Answer, Prediction
from pyg_cagp.inference.predictor import Predictor
from pyg_cagp.inference.prepare import prepare
from pyg_cagp.inference.scores import KINDS, ScoreTable
from pyg_cagp.inference.table import InferenceTable
from pyg_cagp.inference.update import UpdateSummary

classes = [
    "Predictor",
    "InferenceTable",
    "Answer",
    "Prediction",
    "ScoreSummary",
    "ScoreTable",
    "UpdateSummary",
]
functions = ["prepare", "score_file"]

__all__ = ["KINDS"]
__all__ += classes + functions
