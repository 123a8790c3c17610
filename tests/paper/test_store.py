"""Records: identity, state and malformed lines."""

import json
from dataclasses import replace

import pytest

from benchmark.paper import experiment as experiments
from benchmark.paper import status
from benchmark.paper.artifacts import Artifacts
from benchmark.paper.experiment import Experiment
from benchmark.paper.stages import STAGES, code_digests
from benchmark.paper.store import Store, figures, provenance, rounded
from pyg_cagp.exceptions import DatasetFormatError


def experiment(name, stages=("data", "labels"), **inputs):
    return Experiment(name, len, inputs, stages, "config")


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path)
    for e in (
        experiment("a/graph"),
        experiment("a/errors/0", tuple(STAGES), seed=0),
        experiment("a/errors/1", tuple(STAGES), seed=1),
    ):
        store.write(e, "data", {"x": 1 / 3}, provenance(e.stages, 1.0))
    return store


def test_write_and_read(store):
    again = Store(store.folder)
    assert again.names == ["a/errors/0", "a/errors/1", "a/graph"]
    assert again.read("a/graph") == store.read("a/graph")
    assert again.read("a/graph")["result"] == {"x": 0.333333}
    lines = (store.folder / "a/errors.jsonl").read_text().splitlines()
    assert [json.loads(line)["seed"] for line in lines] == [0, 1]


def test_identity_is_config_data_seed_and_versions(store, monkeypatch):
    e = experiment("a/errors/0", tuple(STAGES), seed=0)
    assert store.has(e, "data")
    assert not store.has(e, "other data")
    assert not store.has(replace(e, config="other"), "data")
    assert not store.has(replace(e, inputs={"seed": 1}), "data")
    raised = STAGES["scores"]._replace(version=2)
    monkeypatch.setitem(experiments.STAGES, "scores", raised)
    assert not store.has(e, "data")
    assert store.has(experiment("a/graph"), "data")


def test_malformed_lines_raise(store):
    path = store.folder / "a/errors.jsonl"
    text = path.read_text()
    for line, message in (
        ("{", "line 3 of .* is not a record"),
        ("[]", "line 3 of .* is not a record"),
        ('{"schema": 1, "name": "x"}', "line 3 of .* has schema 1"),
    ):
        path.write_text(text + line + "\n")
        with pytest.raises(DatasetFormatError, match=message):
            Store(store.folder)


def test_states_of_records(store, monkeypatch):
    class Graphs(Artifacts):
        def digest(self, dataset):
            return "data"

    def states(*changed):
        given = changed or (
            experiment("a/graph"),
            experiment("a/errors/0", tuple(STAGES), seed=0),
        )
        by_name = status.states(given, store, Graphs("unused"))
        return list(by_name.values())

    assert states() == ["current", "current"]
    assert states(experiment("a/tau")) == ["not computed"]
    other = replace(experiment("a/graph"), config="other")
    assert states(other) == ["config changed"]
    with monkeypatch.context() as patch:
        raised = STAGES["metrics"]._replace(version=2)
        patch.setitem(experiments.STAGES, "metrics", raised)
        assert states() == ["current", "version raised"]
    record = store.read("a/graph")
    elsewhere = {**record["provenance"], "environment": {"processor": "Z80"}}
    store.add([{**record, "provenance": elsewhere}])
    assert states() == ["other environment", "current"]
    code = {**code_digests(), "labels": "before"}
    store.add(
        [{**record, "provenance": {**elsewhere, "code": code, "commit": "c"}}]
    )
    monkeypatch.setattr("benchmark.paper.stages.stamps", dict)
    assert states()[0] == "unverified since c"


def test_figures_exclude_seconds():
    value = {"a": [1, {"seconds": 2.0, "b": "x"}], "seconds": {"c": 1}}
    assert dict(figures(value)) == {"/a/0": 1, "/a/1/b": "x"}


def test_figures_are_stored_with_six_digits():
    assert rounded({"x": [123456.789, 0.00012345678, 7, None]}) == {
        "x": [123457.0, 0.000123457, 7, None]
    }
