"""Frequencies of entities, counted by hand."""

from collections import Counter
from statistics import mean, median

from benchmark.paper.artifacts import Artifacts
from benchmark.paper.experiments.frequencies import frequencies
from benchmark.paper.setting import Setting
from pyg_cagp.coverage.kinds import KINDS
from pyg_cagp.transforms import TemporalLikeOOD


def test_frequencies_equal_counts_by_hand(tmp_path):
    setting = Setting(Artifacts(tmp_path), "golden")
    figures = frequencies(setting)
    for name, partition in (
        ("table2", TemporalLikeOOD.preset("table2")),
        ("stated, a self-loop counts once", TemporalLikeOOD(self_loops="once")),
        ("stated, unseen entities count", TemporalLikeOOD(population="all")),
    ):
        kg = partition(setting.kg)
        pairs = kg.edge_index.t().tolist()
        slots = Counter()
        for pair, train in zip(pairs, kg.train_mask.tolist(), strict=True):
            slots.update(pair if train else [])
        ends_of = {kind: [] for kind in KINDS}
        rows = zip(pairs, kg.test_mask.tolist(), kg.ood_type, strict=True)
        for pair, test, kind in rows:
            if test:
                ends_of[KINDS[kind]].append([slots[end] for end in pair])
        assert figures[name]["tau"] == kg.ood_tau
        for kind, ends in ends_of.items():
            got = figures[name][kind]
            assert got["count"] == len(ends) > 0
            for title, values in (
                ("rarer end", [min(pair) for pair in ends]),
                ("both ends", [end for pair in ends for end in pair]),
            ):
                assert abs(got[title]["mean"] - mean(values)) < 1e-9
                assert got[title]["median"] == median(values)
