"""Labelled triples of validation know nothing of test."""

import pytest
import torch

from pyg_cagp.datasets import load
from pyg_cagp.protocols import labelled_triples
from pyg_cagp.transforms import TemporalLikeOOD


@pytest.fixture(scope="module")
def kg():
    return load("synthetic")


@pytest.mark.parametrize("protocol", ["standard", "comprehensive"])
def test_what_test_holds_does_not_show_in_validation(kg, protocol):
    val = labelled_triples(kg, protocol, "val", seed=5)
    corrupted = val.kind == len(val.kinds) - 1
    false = torch.stack([val.head[corrupted], val.tail[corrupted]])
    # The very triples that were drawn for validation are now true in test: a
    # filter that knew test would have to draw others.
    other = kg.clone()
    test = kg.test_mask.nonzero().view(-1)[: false.size(1)]
    other.edge_index = kg.edge_index.clone()
    other.edge_type = kg.edge_type.clone()
    other.edge_index[:, test] = false[:, : test.numel()]
    other.edge_type[test] = val.rel[corrupted][: test.numel()]
    again = labelled_triples(other, protocol, "val", seed=5)
    for name in ("head", "rel", "tail", "kind"):
        assert torch.equal(getattr(val, name), getattr(again, name))
    # Test itself is filtered by all that is known.
    judged = labelled_triples(other, protocol, "test", seed=5)
    assert judged.counts()["corrupted"] == int(kg.test_mask.sum())


def test_splits_are_corrupted_by_draws_of_their_own(kg):
    val, test = (
        labelled_triples(kg, "standard", split) for split in ("val", "test")
    )
    num = min(int(val.label.sum()), int(test.label.sum()))
    tails = [part.tail[part.kind == 1][:num] for part in (val, test)]
    assert float((tails[0] == tails[1]).double().mean()) < 0.05


@pytest.mark.parametrize("protocol", ["temporal-like", "comprehensive"])
@pytest.mark.parametrize("split", ["val", "test"])
def test_a_partition_is_as_good_as_its_name(kg, protocol, split):
    found = {}
    for name in TemporalLikeOOD.presets:
        want = labelled_triples(kg, protocol, split, name, seed=5)
        partition = TemporalLikeOOD.preset(name)
        got = labelled_triples(kg, protocol, split, partition, seed=5)
        for part in ("head", "rel", "tail", "kind"):
            assert torch.equal(getattr(got, part), getattr(want, part))
        found[name] = tuple(got.counts().values())
    assert len(set(found.values())) == len(found)
    own = labelled_triples(
        kg, protocol, split, TemporalLikeOOD(quantile=0.5), seed=5
    )
    assert own.counts()["emerging"] > max(
        counts[1] for counts in found.values()
    )
