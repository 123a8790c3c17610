"""Updates of a run with new triples: complete or without effect."""

import json
import os
import shutil

import pytest
import torch
from filelock import FileLock

from pyg_cagp import Coverage
from pyg_cagp.data import triples
from pyg_cagp.exceptions import (
    CacheError,
    CAGPWarning,
    CheckpointError,
    DatasetFormatError,
    InvalidInputError,
)
from pyg_cagp.inference import Predictor, prepare
from pyg_cagp.train import load_run
from pyg_cagp.train.checkpoint import model_tensors
from tests.inference.graph import ENTITIES, LATER, RELATIONS, TRAIN, to_tsv
from tests.inference.test_predictor import ids_of
from tests.loops import for_each

COLUMNS = tuple(zip(*LATER, strict=True))


@pytest.fixture
def later(tmp_path):
    path = tmp_path / "later.tsv"
    path.write_text(to_tsv(LATER), encoding="utf-8")
    return path


def update(run, new, **options):
    return Predictor.load(run).update(new, **options)


def state_of(run):
    """Everything about a run that an update may change."""
    predictor = Predictor.load(run)
    return [
        predictor.document["version"],
        *(tensor.clone() for tensor in predictor.coverage.tensors().values()),
        *(tensor.clone() for tensor in model_tensors(predictor.model).values()),
        predictor.score(*COLUMNS).p_ood,
    ]


def same(first, second):
    return all(
        torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b
        for a, b in zip(first, second, strict=True)
    )


def test_update_equals_a_state_of_all_triples(own_run, later, kg):
    before = Predictor.load(own_run)
    summary = update(own_run, later)
    assert (summary.added, summary.repeated) == (len(LATER), 0)
    after = Predictor.load(own_run)
    head, rel, tail = ids_of(kg, LATER)
    parts = zip(triples(kg, "train"), (head, rel, tail), strict=True)
    h, r, t = (torch.cat(part) for part in parts)
    expected = Coverage.from_edges(
        torch.stack([h, t]), r, kg.num_nodes, kg.num_relations
    )
    assert after.coverage.equal(expected)
    model = load_run(own_run).model
    expected = model.posterior.update(model, *ids_of(kg, LATER))
    assert after.model.posterior.key == expected.key
    assert after.model.posterior.key != before.model.posterior.key
    assert torch.equal(
        after.model.node_emb.weight, before.model.node_emb.weight
    )
    difference = after.model.mean_variance(head)
    difference -= before.model.mean_variance(head)
    assert (difference < 0).all()
    tables = [before.score(*COLUMNS), after.score(*COLUMNS)]
    assert tables[1].structural.sum() == 0 < tables[0].structural.sum()
    assert tables[1].p_ood.mean() < tables[0].p_ood.mean()
    # Added triples are known, so they are left out of answers.
    h, r, t = LATER[0]
    names = [
        {answer.name for answer in predictor.predict(h, r, k=99).answers}
        for predictor in (before, after)
    ]
    assert t in names[0]
    assert t not in names[1]


def test_updates_are_logged_and_old_states_removed(own_run, later):
    parts = [tuple(zip(*part, strict=True)) for part in (LATER[:9], LATER[9:])]
    for part in parts:
        update(own_run, part)
    twice = Predictor.load(own_run)
    assert sorted(p.name for p in (own_run / "inference").glob("0*")) == [
        "001",
        "002",
    ]
    log = twice.document["updates"]
    assert [entry["added"] for entry in log] == [9, len(LATER) - 9]
    assert [entry["source"] for entry in log] == ["names", "names"]
    again = update(own_run, later, skip_known=True)
    assert (again.added, again.repeated) == (0, len(LATER))
    assert again.version == 2
    assert same(state_of(own_run)[:5], [2, *twice.coverage.tensors().values()])
    repeated = update(own_run, later)
    assert (repeated.added, repeated.repeated) == (len(LATER), len(LATER))


def test_unknown_names_are_counted_and_skipped(own_run):
    known, rel = ENTITIES[0], RELATIONS[1]
    triples = (
        ["no entity", known, known, "no entity"],
        [rel, "no relation", rel, "no relation"],
        [known, known, ENTITIES[1], known],
    )
    summary = update(own_run, triples)
    assert summary.added == 1
    assert (summary.unknown_entity, summary.unknown_relation) == (2, 1)
    before = state_of(own_run)
    assert update(own_run, (["x"], [rel], ["y"])).added == 0
    assert same(state_of(own_run), before)


WRITES = [
    "coverage.safetensors",
    "known.safetensors",
    "names.json",
    "evidence.safetensors",
    "model.safetensors",
    "inference.json",
]


@for_each("name", WRITES)
def test_an_interrupted_update_leaves_the_old_state(
    trained_run, later, name, tmp_path, monkeypatch
):
    own_run = shutil.copytree(trained_run, tmp_path / name)
    before = state_of(own_run)
    original = os.replace

    def interrupt(source, target):
        if str(target).endswith(name):
            raise KeyboardInterrupt
        return original(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            update(own_run, later)
    assert same(state_of(own_run), before)
    # A part of the interrupted update is replaced.
    assert (own_run / "inference/001").exists() == (name == "inference.json")
    assert update(own_run, later).version == 1
    assert state_of(own_run)[0] == 1


def test_files_of_a_killed_update_are_removed(own_run, later):
    part = own_run / "inference/.inference.json.0.part"
    part.touch()
    folder = own_run / "inference/001"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"half")
    (folder / ".known.safetensors.0.part").touch()
    update(own_run, later)
    assert not part.exists()
    assert [path.name for path in folder.glob(".*")] == []
    assert state_of(own_run)[0] == 1


def test_concurrent_updates_raise(own_run, later):
    lock = FileLock(own_run / "inference/.lock")
    with lock, pytest.raises(CacheError, match="another process"):
        update(own_run, later)
    assert update(own_run, later).added == len(LATER)


def test_bad_files_and_runs_raise(own_run, later, tmp_path):
    before = state_of(own_run)
    later.write_text(to_tsv(TRAIN[:3]) + "one\ttwo\n", encoding="utf-8")
    with pytest.raises(DatasetFormatError, match="line 4"):
        update(own_run, later)
    assert same(state_of(own_run), before)
    assert update(own_run, later, skip_malformed=True).malformed == 1
    with pytest.raises(CheckpointError, match="no run"):
        update(tmp_path / "none", later)
    assert not (tmp_path / "none").exists()


def test_update_of_a_model_without_laplace_raises(own_run, later, monkeypatch):
    monkeypatch.setattr("pyg_cagp.inference.update.KG2E", object)
    with pytest.raises(InvalidInputError, match="train"):
        update(own_run, later)


def test_prepare_after_updates_warns(own_run, later, kg):
    update(own_run, later)
    with pytest.warns(CAGPWarning, match="1 updates"):
        prepare(own_run, kg, load_run(own_run).model)
    document = json.loads((own_run / "inference/inference.json").read_text())
    assert (document["version"], document["updates"]) == (2, [])
    assert Predictor.load(own_run).coverage.equal(Coverage.from_data(kg))
