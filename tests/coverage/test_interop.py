"""Coverage as torch_sparse.SparseTensor; needs it, or says so."""

import pytest
import torch

from pyg_cagp import Coverage
from pyg_cagp.coverage import interop
from pyg_cagp.exceptions import InvalidInputError, MissingDependencyError
from tests.conftest import random_edges


@pytest.fixture
def cov():
    return Coverage.from_edges(*random_edges(40, 9, 200), 40, 9)


def test_without_torch_sparse_the_error_says_how_to_get_it(cov, monkeypatch):
    monkeypatch.setattr(interop, "WITH_TORCH_SPARSE", False)
    with pytest.raises(MissingDependencyError, match="--no-build-isolation"):
        cov.to_sparse_tensor()
    with pytest.raises(ImportError, match="torch-sparse"):
        Coverage.from_sparse_tensor(None)


@pytest.mark.ext
class TestSparseTensor:
    def test_round_trip(self, cov):
        adj = cov.to_sparse_tensor()
        assert adj.sizes() == [40, 9, 2]
        assert adj.nnz() == cov.nnz
        assert Coverage.from_sparse_tensor(adj).equal(cov)

    @pytest.mark.parametrize("view", ["binary", "count", "log", "tfidf"])
    @pytest.mark.parametrize("role", ["any", "head", "tail"])
    def test_views_are_those_of_torch_csr(self, cov, view, role):
        adj = cov.to_sparse_tensor(view=view, role=role)
        expected = cov.to_sparse_csr(view=view, role=role).to_dense()
        assert torch.equal(adj.to_dense(), expected)

    def test_products_run_in_torch_sparse(self, cov):
        adj = cov.to_sparse_tensor(view="count")
        x = torch.randn(9, 4, generator=torch.Generator().manual_seed(0))
        expected = cov.to_sparse_csr(view="count").to_dense() @ x
        torch.testing.assert_close(adj @ x, expected)

    @pytest.mark.parametrize("role", ["head", "tail"])
    def test_evidence_of_one_role(self, cov, role):
        from torch_sparse import SparseTensor

        adj = cov.to_sparse_tensor(view="count", role=role)
        got = Coverage.from_sparse_tensor(adj, role)
        every = torch.cartesian_prod(torch.arange(40), torch.arange(9)).t()
        assert torch.equal(got.count(*every), cov.count(*every, role=role))
        bare = SparseTensor(
            row=torch.tensor([3, 0]),
            col=torch.tensor([1, 2]),
            sparse_sizes=(4, 3),
        )
        got = Coverage.from_sparse_tensor(bare, role)
        pair = torch.tensor([3]), torch.tensor([1])
        assert got.count(*pair, role=role).item() == 1
        assert got.count(*pair).item() == 1

    def test_pairs_without_evidence_are_left_out(self, cov):
        adj = cov.to_sparse_tensor()
        value = adj.storage.value().clone()
        value[0] = 0
        got = Coverage.from_sparse_tensor(adj.set_value(value, layout="coo"))
        assert got.nnz == cov.nnz - 1

    def test_bad_input(self, cov):
        from torch_sparse import SparseTensor

        with pytest.raises(InvalidInputError, match="two counts a pair"):
            Coverage.from_sparse_tensor(cov.to_sparse_tensor(view="count"))
        negative = cov.to_sparse_tensor(view="count").set_value(
            -torch.ones(cov.nnz), layout="coo"
        )
        with pytest.raises(InvalidInputError, match="whole counts"):
            Coverage.from_sparse_tensor(
                cov.to_sparse_tensor(view="log"), "head"
            )
        with pytest.raises(InvalidInputError, match="no negative count"):
            Coverage.from_sparse_tensor(negative, "head")
        twice = SparseTensor(
            row=torch.tensor([0, 0]),
            col=torch.tensor([1, 1]),
            sparse_sizes=(2, 2),
        )
        with pytest.raises(InvalidInputError, match="coalesced"):
            Coverage.from_sparse_tensor(twice, "head")

    def test_scatter_gives_the_same_counts_with_torch_scatter(self, cov):
        import torch_scatter

        got = torch_scatter.scatter_add(
            cov.counts(), cov.row(), dim=0, dim_size=40
        )
        assert torch.equal(got, cov.frequency())
