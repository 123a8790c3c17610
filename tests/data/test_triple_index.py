"""Known triples against a Python set."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pyg_cagp.data import TripleIndex
from pyg_cagp.exceptions import InvalidInputError

triples = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 5)),
    max_size=40,
)


@settings(deadline=None, max_examples=60)
@given(triples)
def test_contains_equals_a_set(known):
    table = torch.tensor(known, dtype=torch.long).view(-1, 3)
    index = TripleIndex(*table.t(), 6, 3)
    every = torch.cartesian_prod(
        torch.arange(6), torch.arange(3), torch.arange(6)
    )
    expected = [tuple(row) in set(known) for row in every.tolist()]
    assert index.contains(*every.t()).tolist() == expected
    assert len(index) == len(set(known))


def test_sizes_whose_product_exceeds_64_bits():
    big = 2**31
    h, t = torch.tensor([[big - 1], [big - 2]])
    index = TripleIndex(h, torch.tensor([2**30]), t, big, 2**31)
    assert index.contains(h, torch.tensor([2**30]), t).item() is True
    assert index.contains(t, torch.tensor([2**30]), t).item() is False
    assert repr(index) == "TripleIndex(1 triples)"


def test_from_data_and_bad_ids(toy):
    index = TripleIndex.from_data(toy)
    assert len(index) == 9  # (0, 0, 1) is in train and in test.
    zero, one = torch.tensor([0]), torch.tensor([[1]])
    with pytest.raises(InvalidInputError, match="same shape"):
        index.contains(zero, zero, one)
    with pytest.raises(InvalidInputError, match="'rel_type' must lie"):
        index.contains(zero, zero + 3, zero)
