"""Weights of evidence against scikit-learn and by hand."""

import math

import pytest
import torch
from sklearn.feature_extraction.text import TfidfTransformer

from pyg_cagp import Coverage
from tests.conftest import random_edges
from tests.loops import for_each


@pytest.fixture
def cov():
    return Coverage.from_edges(*random_edges(30, 7, 120), 30, 7)


@for_each("role", ["any", "head", "tail"])
def test_tfidf_equals_scikit_learn(cov, role):
    counts = cov.to_sparse_csr(view="count", role=role).to_dense().numpy()
    expected = TfidfTransformer().fit_transform(counts).toarray()
    got = cov.to_sparse_csr(view="tfidf", role=role).to_dense()
    torch.testing.assert_close(got, torch.from_numpy(expected).float())


def test_log_is_scaled_by_the_largest_count():
    edge_index = torch.tensor([[0, 0, 0, 1], [2, 2, 2, 2]])
    cov = Coverage.from_edges(edge_index, torch.tensor([0, 0, 0, 1]), 3, 2)
    got = cov.weight(
        torch.tensor([0, 2, 1, 1]), torch.tensor([0, 0, 1, 0]), "log"
    )
    expected = [1.0, 1.0, math.log(2) / math.log(4), 0.0]
    torch.testing.assert_close(got, torch.tensor(expected))


def test_each_role_is_scaled_by_its_own_largest_count():
    edge_index = torch.tensor([[0, 0, 0], [1, 2, 3]])
    cov = Coverage.from_edges(edge_index, torch.zeros(3).long(), 4, 1)
    # Entity 0 is a head three times, the others are tails once each.
    assert cov.values("log", "tail").tolist() == [0, 1, 1, 1]
    assert cov.values("log", "head").tolist() == [1, 0, 0, 0]


def test_weight_equals_the_dense_matrix(cov):
    every = torch.cartesian_prod(torch.arange(30), torch.arange(7)).t()
    for view in ("binary", "count", "log", "tfidf"):
        for role in ("any", "head", "tail"):
            dense = cov.to_sparse_csr(view=view, role=role).to_dense()
            got = cov.weight(*every, view, role)
            assert torch.equal(got, dense[every[0], every[1]])


def test_values_are_copies(cov):
    before = cov.values("log")
    cov.values("log").zero_()
    assert torch.equal(cov.values("log"), before)


def test_values_lie_in_the_unit_interval(cov):
    for view in ("binary", "log", "tfidf"):
        values = cov.values(view)
        assert values.min() >= 0
        assert values.max() <= 1 + 1e-6
        assert values.dtype == torch.float32
