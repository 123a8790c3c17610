"""Cores of graphs, against removal of one entity at a time."""

import pytest
import torch

from pyg_cagp.data import as_kg, triples
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.train import k_core
from pyg_cagp.train.kcore import find_k
from tests.train.graph import graph


def core_by_hand(train, num_nodes, k):
    """Removes one entity of too small a degree at a time."""
    inside = set(range(num_nodes))
    while True:
        ends = [end for h, _, t in train if {h, t} <= inside for end in (h, t)]
        small = [entity for entity in inside if ends.count(entity) < k]
        if not small:
            return inside
        inside.remove(small[0])


def listed(kg, split):
    columns = (part.tolist() for part in triples(kg, split))
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [0, 1, 2, 3, 5, 9])
def test_equals_removal_one_by_one(seed, k):
    kg = graph(20, 25 + 10 * seed, num_relations=6)
    kg.node_names = [f"n{i}" for i in range(20)]
    kg.relation_names = [f"r{i}" for i in range(6)]
    kg.edge_time = torch.arange(kg.edge_type.numel())
    core = as_kg(k_core(kg, k))
    inside = core_by_hand(listed(kg, "train"), 20, k)
    assert set(core.node_names) == {f"n{i}" for i in inside}
    for part in ("train", "val"):
        expected = [
            (f"n{h}", f"r{r}", f"n{t}")
            for h, r, t in listed(kg, part)
            if {h, t} <= inside
        ]
        got = [
            (core.node_names[h], core.relation_names[r], core.node_names[t])
            for h, r, t in listed(core, part)
        ]
        assert got == expected
    both = [{int(h), int(t)} <= inside for h, t in kg.edge_index.t()]
    assert (
        core.edge_time.tolist() == torch.tensor(both).nonzero()[:, 0].tolist()
    )
    # No relation is left without triples.
    assert core.edge_type.unique().numel() == core.num_relations


def test_the_core_of_a_size_is_the_smallest_one():
    kg = as_kg(SyntheticKG(num_nodes=300, num_triples=3000))
    k = find_k(kg, 0.3, num_nodes=50, num_val=20)
    sizes = [
        (
            int(core.train_mask.sum()) / int(kg.train_mask.sum()) >= 0.3
            and int(core.val_mask.sum()) >= 20
            and core.num_nodes >= 50
        )
        for core in (k_core(kg, k), k_core(kg, k + 1))
    ]
    assert sizes == [True, False]
    assert find_k(kg, 1.0, num_nodes=300, num_val=10**6) <= 1


def test_bad_input():
    with pytest.raises(InvalidInputError, match="'k' must be at least 0"):
        k_core(graph(5, 9), -1)
