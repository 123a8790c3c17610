"""The graph and the advice of the run that tests share."""

import warnings

import pytest

from pyg_cagp.advice import Adviser
from pyg_cagp.datasets import load
from pyg_cagp.exceptions import CAGPWarning


@pytest.fixture
def adviser(trained_run):
    return Adviser.load(trained_run)


@pytest.fixture
def kg(awkward_graph):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CAGPWarning)
        return load(awkward_graph)
