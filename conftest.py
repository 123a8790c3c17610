"""What the examples in docstrings may take for granted."""

import pytest
import torch
from torch_geometric.data import Data


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace):
    doctest_namespace["torch"] = torch
    doctest_namespace["Data"] = Data
