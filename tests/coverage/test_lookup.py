"""Both look-ups of pairs, on graphs large enough for several chunks."""

import torch

from pyg_cagp import Coverage
from pyg_cagp.coverage import lookup
from pyg_cagp.coverage.lookup import PresenceBitmap
from tests.conftest import random_edges


def test_rows_and_bitmap_equal_a_dense_matrix(monkeypatch):
    num_nodes, num_relations = 400, 150
    edge_index, edge_type = random_edges(num_nodes, num_relations, 9_000)
    cov = Coverage.from_edges(edge_index, edge_type, num_nodes, num_relations)
    dense = torch.zeros(num_nodes, num_relations, dtype=torch.bool)
    dense[edge_index[0], edge_type] = True
    dense[edge_index[1], edge_type] = True
    entity, relation = random_edges(num_nodes, num_relations, 50_000, seed=1)
    entity = entity[0]
    expected = dense[entity, relation]
    bitmap = PresenceBitmap(cov.row(), cov.col, num_nodes, num_relations)
    assert torch.equal(bitmap.contains(entity, relation), expected)
    monkeypatch.setattr(lookup, "CHUNK", 999)
    assert torch.equal(cov._find(entity, relation) >= 0, expected)


def test_only_small_bitmaps_are_used():
    dense = Coverage.from_edges(*random_edges(50, 60, 3_000), 50, 60)
    assert dense._presence() is not None
    sparse = Coverage.from_edges(*random_edges(50, 6_000, 30), 50, 6_000)
    assert sparse._presence() is None
