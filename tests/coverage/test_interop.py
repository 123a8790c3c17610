"""Coverage as torch_sparse.SparseTensor."""

from itertools import product

import pytest
import torch

from pyg_cagp import Coverage
from pyg_cagp.coverage import interop
from pyg_cagp.exceptions import MissingDependencyError
from tests.conftest import random_edges


@pytest.fixture
def cov():
    return Coverage.from_edges(*random_edges(40, 9, 200), 40, 9)


def test_missing_torch_sparse_raises(cov, monkeypatch):
    monkeypatch.setattr(interop, "WITH_TORCH_SPARSE", False)
    with pytest.raises(MissingDependencyError, match="--no-build-isolation"):
        cov.to_sparse_tensor()


@pytest.mark.ext
class TestSparseTensor:
    def test_values_are_the_counts_of_both_roles(self, cov):
        adj = cov.to_sparse_tensor()
        assert adj.sizes() == [40, 9, 2]
        row, col, value = adj.coo()
        for role, counts in zip(("head", "tail"), value.t(), strict=True):
            assert torch.equal(counts.long(), cov.count(row, col, role))

    def test_views_equal_torch_csr(self, cov):
        views, roles = (
            ("binary", "count", "log", "tfidf"),
            ("any", "head", "tail"),
        )
        for view, role in product(views, roles):
            adj = cov.to_sparse_tensor(view=view, role=role)
            expected = cov.to_sparse_csr(view=view, role=role).to_dense()
            assert torch.equal(adj.to_dense(), expected), (view, role)

    def test_products_equal_dense_matrices(self, cov):
        adj = cov.to_sparse_tensor(view="count")
        x = torch.randn(9, 4, generator=torch.Generator().manual_seed(0))
        expected = cov.to_sparse_csr(view="count").to_dense() @ x
        torch.testing.assert_close(adj @ x, expected)

    def test_scatter_add_equals_frequency(self, cov):
        import torch_scatter

        got = torch_scatter.scatter_add(
            cov.counts(), cov.row(), dim=0, dim_size=40
        )
        assert torch.equal(got, cov.frequency())
