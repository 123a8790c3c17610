r"""Training of models and their posteriors, by configs, and their search."""

from pyg_cagp.train.batches import TripleBatches
from pyg_cagp.train.build import build_model, build_objective, build_posterior
from pyg_cagp.train.checkpoint import load_checkpoint, save_checkpoint
from pyg_cagp.train.config import Config
from pyg_cagp.train.kcore import k_core
from pyg_cagp.train.load import Run, load_model, load_run
from pyg_cagp.train.options import PosteriorOptions, TrainOptions
from pyg_cagp.train.run import train_ensemble, train_run
from pyg_cagp.train.state import Progress
from pyg_cagp.train.tracker import Tracker
from pyg_cagp.train.trainer import Trainer
from pyg_cagp.train.tune import tune
from pyg_cagp.train.tune_result import TuneResult
from pyg_cagp.train.validation import Validation

classes = [
    "Config",
    "TrainOptions",
    "PosteriorOptions",
    "TripleBatches",
    "Trainer",
    "Progress",
    "Tracker",
    "Validation",
    "Run",
    "TuneResult",
]
functions = [
    "build_model",
    "build_objective",
    "build_posterior",
    "train_run",
    "train_ensemble",
    "tune",
    "k_core",
    "load_run",
    "load_model",
    "save_checkpoint",
    "load_checkpoint",
]

__all__ = classes + functions
