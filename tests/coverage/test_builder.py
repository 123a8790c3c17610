"""Streams of edges."""

import pytest
import torch

from pyg_cagp import Coverage
from pyg_cagp.coverage import CoverageBuilder
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.exceptions import InvalidInputError


def test_stream_equals_from_edges():
    sizes = {"num_nodes": 500, "num_relations": 20}
    builder = CoverageBuilder(**sizes)
    chunks = list(
        SyntheticKG.stream(**sizes, num_triples=20_000, chunk_size=1_500)
    )
    builder.extend((c.edge_index, c.edge_type) for c in chunks)
    assert builder.num_edges == 20_000
    expected = Coverage.from_edges(
        torch.cat([c.edge_index for c in chunks], 1),
        torch.cat([c.edge_type for c in chunks]),
        **sizes,
    )
    assert builder.build().equal(expected)
    builder.build().head_count.zero_()
    assert builder.build().equal(expected)  # The results share no memory.


def test_number_of_runs_is_bounded():
    builder = CoverageBuilder(2_000, 5)
    for chunk in SyntheticKG.stream(2_000, 5, 64_000, chunk_size=1_000):
        builder.add(chunk.edge_index, chunk.edge_type)
        assert len(builder._runs) <= 12


def test_empty_builder_and_bad_input():
    assert CoverageBuilder(3, 2).build().nnz == 0
    with pytest.raises(InvalidInputError, match="'num_nodes'"):
        CoverageBuilder(-1, 2)
    with pytest.raises(InvalidInputError, match=r"\[0, 3\)"):
        CoverageBuilder(3, 2).add(torch.tensor([[3], [0]]), torch.tensor([0]))
