"""Protocols are values, and validation labels are independent of test."""

import pytest
import torch

from pyg_cagp import Coverage, evaluate
from pyg_cagp.data import as_kg
from pyg_cagp.datasets import load
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols import (
    PROTOCOLS,
    Comprehensive,
    Standard,
    TemporalLike,
    Timestamp,
    protocol,
)
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.uncertainty import CAGP, EvidenceUncertainty, FrequencyUncertainty
from tests.loops import for_each


@pytest.fixture(scope="module")
def kg():
    return load("synthetic")


@for_each("cls", [Standard, Comprehensive])
def test_validation_triples_are_independent_of_test_triples(kg, cls):
    val = cls(seed=5).label(kg, "val")
    corrupted = val.kind == len(val.kinds) - 1
    false = torch.stack([val.head[corrupted], val.tail[corrupted]])
    # The triples drawn for validation are now true in test: a filter that
    # knew test would draw others.
    other = kg.clone()
    test = kg.test_mask.nonzero().view(-1)[: false.size(1)]
    other.edge_index = kg.edge_index.clone()
    other.edge_type = kg.edge_type.clone()
    other.edge_index[:, test] = false[:, : test.numel()]
    other.edge_type[test] = val.rel[corrupted][: test.numel()]
    again = cls(seed=5).label(other, "val")
    for name in ("head", "rel", "tail", "kind"):
        assert torch.equal(getattr(val, name), getattr(again, name))
    # Test itself is filtered by all known triples.
    labelled = cls(seed=5).label(other, "test")
    assert labelled.counts()["corrupted"] == int(kg.test_mask.sum())


def test_splits_have_separate_draws(kg):
    val, test = (Standard().label(kg, split) for split in ("val", "test"))
    num = min(int(val.label.sum()), int(test.label.sum()))
    tails = [part.tail[part.kind == 1][:num] for part in (val, test)]
    assert float((tails[0] == tails[1]).double().mean()) < 0.05


@for_each("cls", [TemporalLike, Comprehensive])
@for_each("split", ["val", "test"])
def test_a_partition_equals_its_preset(kg, cls, split):
    counts = {}
    for name in TemporalLikeOOD.presets:
        want = cls(name).label(kg, split)
        got = cls(TemporalLikeOOD.preset(name)).label(kg, split)
        for part in ("head", "rel", "tail", "kind"):
            assert torch.equal(getattr(got, part), getattr(want, part))
        counts[name] = tuple(got.counts().values())
    assert len(set(counts.values())) == len(counts)
    half = cls(TemporalLikeOOD(quantile=0.5)).label(kg, split)
    assert half.counts()["emerging"] > max(c[1] for c in counts.values())


@for_each("self_loops", ["once", "twice"])
def test_temporal_like_equals_the_transform(kg, self_loops):
    looped = kg.clone()
    looped.edge_index = kg.edge_index.clone()
    loops = kg.train_mask.nonzero().view(-1)[:2000]
    looped.edge_index[1, loops] = looped.edge_index[0, loops]
    rule = TemporalLikeOOD(quantile=0.3, self_loops=self_loops)
    want = rule(looped).ood_type[looped.val_mask]
    assert torch.equal(TemporalLike(rule).label(looped, "val").kind, want)


def test_rows_compare_each_kind_with_id(kg):
    test = TemporalLike().label(kg, "test")
    rows, kinds = test.rows(), test.kind.tolist()
    for number, name in ((1, "emerging"), (2, "novel")):
        expected = [kind in (0, number) for kind in kinds]
        assert rows[name].tolist() == expected
    assert rows["overall"].all()


def test_protocols_are_values(kg):
    assert protocol("standard", seed=3) == Standard(3) != Standard()
    assert protocol("temporal-like", preset="table2") == TemporalLike("table2")
    assert protocol(Standard(2), seed=5) == Standard(2)
    assert {name: cls.name for name, cls in PROTOCOLS.items()} == {
        name: name for name in PROTOCOLS
    }
    split = TemporalLike("table2").label(kg, "val")
    assert split.protocol == TemporalLike("table2")
    assert split.split == "val"
    assert split.coverage.equal(Coverage.from_data(kg))
    assert [part.numel() for part in split.triples] == [
        int(kg.val_mask.sum())
    ] * 3
    assert repr(split).endswith("protocol=TemporalLike(partition='table2'))")


def test_bad_protocols_raise(kg):
    with pytest.raises(InvalidInputError, match="'protocol'"):
        protocol("temporal")
    with pytest.raises(InvalidInputError, match="'preset' must not be given"):
        protocol("standard", preset="table2")
    with pytest.raises(InvalidInputError, match="'name'"):
        TemporalLike("table3")
    with pytest.raises(InvalidInputError, match="must have no 'reference'"):
        TemporalLike(TemporalLikeOOD(reference=kg))
    with pytest.raises(InvalidInputError, match="'split'"):
        Standard().label(kg, "train")
    with pytest.raises(InvalidInputError, match="'kg' has no 'ood_label'"):
        Timestamp().label(kg, "test")


def test_fit_on_labelled_triples_equals_fit_on_the_graph(kg):
    coverage = Coverage.from_data(kg)
    rule = Comprehensive("table2", seed=4)
    val, test = rule.label(kg, "val"), rule.label(kg, "test")
    for make in (
        lambda: EvidenceUncertainty(coverage),
        lambda: CAGP(FrequencyUncertainty(coverage), coverage),
    ):
        want = make().fit(kg, protocol="comprehensive", preset="table2", seed=4)
        for got in (make().fit(val), make().fit(kg, protocol=rule)):
            assert torch.equal(got(*test.triples), want(*test.triples))
        with pytest.raises(InvalidInputError, match="'data' must be validat"):
            make().fit(test)
        with pytest.raises(InvalidInputError, match="must not be given with"):
            make().fit(val, protocol="standard")


def test_an_evaluation_checks_and_counts_a_graph_once(kg, monkeypatch):
    calls = {"checks": 0, "coverages": 0}
    check, build = as_kg.__globals__["check_kg"], Coverage.from_edges.__func__

    def counted_check(data):
        calls["checks"] += 1
        return check(data)

    def counted_build(cls, *args):
        calls["coverages"] += 1
        return build(cls, *args)

    monkeypatch.setitem(as_kg.__globals__, "check_kg", counted_check)
    coverage = Coverage.from_data(kg)
    monkeypatch.setattr(Coverage, "from_edges", classmethod(counted_build))
    for name in ("temporal-like", "standard", "comprehensive"):
        calls.update(checks=0, coverages=0)
        evaluate.ood({"missing": coverage.missing}, kg, protocol=name)
        assert calls == {"checks": 1, "coverages": 1}, name
