"""The committed records: their experiments, tables and figures."""

import json
from dataclasses import replace

import pytest

from benchmark.paper.budget import FULL
from benchmark.paper.grid import Grid
from benchmark.paper.store import Store
from benchmark.paper.tables import TABLES, Records
from tests.conftest import REPO
from tests.loops import for_each


@pytest.fixture(scope="module")
def store():
    return Store(REPO / "benchmark/paper/results")


class RecordingStore:
    """A store that lists the records that are read."""

    def __init__(self, store):
        self.store, self.names, self.calls = store, store.names, set()

    def read(self, name):
        self.calls.add(name)
        return self.store.read(name)


@for_each("name", sorted(set(TABLES) - {"effort"}))
def test_a_table_reads_its_records_only(store, name):
    recording = RecordingStore(store)
    assert TABLES[name].make(Records(recording)).rows
    assert recording.calls
    assert [n for n in recording.calls if not TABLES[name].reads(n)] == []


def test_each_record_is_of_an_experiment(store):
    # Records of this graph can be computed only by users who have its files.
    budget = replace(FULL, datasets=(*FULL.datasets, "yago3-10"))
    experiments = Grid(budget).experiments
    assert store.names
    for name in store.names:
        inputs = json.loads(json.dumps(experiments[name].inputs))
        assert store.read(name)["inputs"] == inputs, name


def test_figures_are_drawn(store, tmp_path):
    plots = pytest.importorskip("benchmark.paper.plots")
    records = Records(store)
    drawn = plots.draw_figures(records, tmp_path)
    shown = (REPO / "docs/images").glob("*.svg")
    assert {path.name for path in drawn} <= {path.name for path in shown}
    text = (tmp_path / "two_kinds.svg").read_text(encoding="utf-8")
    name = "fb15k-237/detection/temporal-like-table2"
    for method in ("semantic", "structural", "cagp"):
        for kind in ("emerging", "novel", "overall"):
            area = records.spread(name, "methods", method, kind, "auroc")
            assert f">{area.mean:.2f}<" in text
