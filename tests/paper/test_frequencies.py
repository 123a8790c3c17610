"""Frequencies of entities, counted by hand."""

from collections import Counter
from statistics import mean, median

import pytest

from benchmark.paper import Workshop
from benchmark.paper.cells.frequencies import KINDS, frequencies
from pyg_cagp.transforms import TemporalLikeOOD


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frequencies")
    return Workshop(folder / "work", root=str(folder / "data"))


@pytest.fixture(scope="module")
def found(workshop):
    return frequencies(workshop, "synthetic")


@pytest.mark.parametrize(
    ("name", "partition"),
    [
        ("table2", TemporalLikeOOD.preset("table2")),
        ("stated, a self-loop counts once", TemporalLikeOOD(self_loops="once")),
        ("stated, unseen entities count", TemporalLikeOOD(population="all")),
    ],
)
def test_each_kind_of_triple(workshop, found, name, partition):
    kg = partition(workshop.kg("synthetic"))
    pairs = kg.edge_index.t().tolist()
    rows = list(
        zip(pairs, kg.train_mask.tolist(), kg.test_mask.tolist(), strict=True)
    )
    slots = Counter(end for pair, train, _ in rows if train for end in pair)
    seen = {kind: [] for kind in KINDS}
    for (pair, _, test), kind in zip(rows, kg.ood_type.tolist(), strict=True):
        if test:
            seen[KINDS[kind]].append([slots[end] for end in pair])
    assert found[name]["tau"] == kg.ood_tau
    for kind, ends in seen.items():
        assert ends
        got = found[name][kind]
        assert got["count"] == len(ends)
        for title, values in (
            ("rarer end", [min(pair) for pair in ends]),
            ("both ends", [end for pair in ends for end in pair]),
        ):
            assert got[title]["mean"] == pytest.approx(mean(values))
            assert got[title]["median"] == median(values)


def test_every_reading_of_the_partition_is_there(found):
    assert len(found) == len(TemporalLikeOOD.presets) + 2
    assert found["stated"]["tau"] < found["table2"]["tau"]
