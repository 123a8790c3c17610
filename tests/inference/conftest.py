"""The predictor and the graph of the shared run."""

import warnings

import pytest

from pyg_cagp.datasets import load
from pyg_cagp.exceptions import CAGPWarning
from pyg_cagp.inference import Predictor


@pytest.fixture
def predictor(trained_run):
    return Predictor.load(trained_run)


@pytest.fixture
def kg(awkward_graph):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CAGPWarning)
        return load(awkward_graph)
