"""Known answers against a dictionary."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pyg_cagp.data import AnswerIndex, kg_digest
from pyg_cagp.exceptions import InvalidInputError
from tests.conftest import random_edges

N, R = 7, 3


@given(st.integers(0, 60), st.integers(0, 1000))
def test_find_equals_a_dictionary(num_edges, seed):
    edge_index, rel = random_edges(N, R, num_edges, seed)
    known = AnswerIndex(edge_index[0], rel, edge_index[1], N, R)
    facts = set(
        zip(
            edge_index[0].tolist(),
            rel.tolist(),
            edge_index[1].tolist(),
            strict=True,
        )
    )
    assert len(known) == len(facts)
    given, rels = random_edges(N, R, 20, seed + 1)
    for side in ("tail", "head"):
        row, answer = known.find(side, given[0], rels)
        got = list(zip(row.tolist(), answer.tolist(), strict=True))
        expected = [
            (i, c)
            for i in range(20)
            for c in range(N)
            if (
                (int(given[0, i]), int(rels[i]), c)
                if side == "tail"
                else (c, int(rels[i]), int(given[0, i]))
            )
            in facts
        ]
        assert got == expected


def test_index_of_one_split_or_all(toy):
    assert len(AnswerIndex.from_data(toy, "val")) == 1
    every = AnswerIndex.from_data(toy)
    # One test triple repeats a training triple.
    assert len(every) == 9
    assert repr(every.to("cpu")) == "AnswerIndex(9 triples)"
    with pytest.raises(InvalidInputError, match="'side'"):
        every.find("both", torch.tensor([0]), torch.tensor([0]))


def test_digest_depends_on_triples_splits_and_names(toy):
    first = kg_digest(toy)
    assert first == kg_digest(toy.clone())
    other = toy.clone()
    other.edge_type = other.edge_type.flip(0)
    moved = toy.clone()
    moved.val_mask, moved.test_mask = moved.test_mask, moved.val_mask
    named, renamed = toy.clone(), toy.clone()
    named.node_names = ["a", "bc", "d", "e", "f"]
    renamed.node_names = ["ab", "c", "d", "e", "f"]
    related = toy.clone()
    related.relation_names = ["r", "s", "t"]
    graphs = (toy, other, moved, named, renamed, related)
    assert len({kg_digest(kg) for kg in graphs}) == 6
