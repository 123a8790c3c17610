"""Results: figures, tables, frames and files."""

import dataclasses
import json
import os
import sys

import pytest
import torch

from pyg_cagp import Coverage, GaussianDistMult, evaluate
from pyg_cagp.data import describe_graph, kg_digest
from pyg_cagp.datasets import load
from pyg_cagp.evaluate import Result
from pyg_cagp.exceptions import (
    CacheError,
    DatasetFormatError,
    InvalidInputError,
    MissingDependencyError,
)
from pyg_cagp.transforms import TemporalLikeOOD


@pytest.fixture
def record(toy):
    return Result(
        "test",
        {"a": 1.5, "none": None, "nan": float("nan"), "rows": [{"b": (1, 2)}]},
        {"alpha": 0.1, "path": torch.float},
        describe_graph(toy),
        {"score/x": torch.arange(3.0), "kind": torch.tensor([0, 1, 2])},
        seed=7,
    )


def test_save_and_load(record, toy, tmp_path):
    path = record.save(tmp_path / "r.json")
    got = Result.load(path)
    assert got.metrics == {
        "a": 1.5,
        "none": None,
        "nan": None,
        "rows": [{"b": [1, 2]}],
    }
    assert got.graph["sha256"] == kg_digest(toy)
    assert (got.protocol, got.seed) == ("test", 7)
    assert got.versions["torch"] == record.versions["torch"]
    assert set(got.samples) == {"score/x", "kind"}
    for name, tensor in got.samples.items():
        assert torch.equal(tensor, record.samples[name])
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "r.json",
        "r.json.npz",
    ]


def test_save_without_samples(record, tmp_path):
    got = Result.load(record.save(tmp_path / "r.json", samples=False))
    assert got.samples == {}
    assert not (tmp_path / "r.json.npz").exists()


def test_a_result_is_a_mapping_of_its_figures(record):
    assert record["a"] == 1.5
    assert list(record) == ["a", "none", "nan", "rows"]
    assert len(record) == 4
    assert "a" in record
    assert "b" not in record


def test_malformed_files_raise(record, tmp_path):
    path = tmp_path / "r.json"
    for text in ("{", "[]", "{}", '{"schema": 1}'):
        path.write_text(text)
        with pytest.raises(DatasetFormatError, match="record"):
            Result.load(path)
    record.save(path)
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "schema": 99}))
    with pytest.raises(DatasetFormatError, match="99"):
        Result.load(path)
    path.write_text(json.dumps(document))
    (tmp_path / "r.json.npz").write_bytes(b"PK no zip")
    with pytest.raises(DatasetFormatError, match="record"):
        Result.load(path)


def test_samples_have_a_file_for_each_result(record, toy, tmp_path):
    other = Result("x", {}, samples={"kind": torch.arange(2)})
    paths = [
        part.save(tmp_path / name)
        for part, name in ((record, "run.seed0"), (other, "run.seed1"))
    ]
    got = [Result.load(path) for path in paths]
    assert got[0].samples["kind"].tolist() == [0, 1, 2]
    assert got[1].samples["kind"].tolist() == [0, 1]
    assert got[0] == Result.load(paths[0]) != got[1]
    assert len({got[0], got[1], Result.load(paths[0])}) == 2
    with pytest.raises(InvalidInputError, match="JSON"):
        record.save(tmp_path / "x.npz")


def test_a_failed_save_leaves_no_files(record, tmp_path):
    with pytest.raises(CacheError, match="missing"):
        record.save(tmp_path / "missing" / "r.json")
    broken = Result("x", {}, samples={"bad": torch.arange(2)})
    broken.samples["bad"] = "no tensor"
    with pytest.raises(AttributeError):
        broken.save(tmp_path / "r.json")
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written_raise(record, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("folder", "taken.npz", "locked"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").touch()
    # A folder's mode does not stop the superuser.
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda p, mode: p.name != "locked" and access(p, mode)
    )
    before = sorted(tmp_path.rglob("*"))
    for path, error, message in (
        ("", InvalidInputError, "folder"),
        ("folder", InvalidInputError, "'folder'"),
        # The place of the samples beside the record.
        ("taken", InvalidInputError, r"'taken\.npz'"),
        ("none/r.json", CacheError, "'none'"),
        ("file/r.json", CacheError, "'file'"),
        ("locked/r.json", CacheError, "'locked'"),
    ):
        with pytest.raises(error, match=message):
            record.save(path)
        assert sorted(tmp_path.rglob("*")) == before, path


@pytest.fixture(scope="module")
def results():
    kg = load("synthetic")
    torch.manual_seed(0)
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 4)
    coverage = Coverage.from_data(kg)
    signals = {"missing": coverage.missing}
    partition = evaluate.partition_summary(kg, TemporalLikeOOD())
    return {
        "ranking": evaluate.ranking(model, kg, ks=(1, 5)),
        "temporal-like": evaluate.ood(signals, kg, compare_with="missing"),
        "error-ranking": evaluate.error_ranking(
            model, signals, kg, num_resamples=9
        ),
        "conformal": evaluate.conformal(model, kg),
        "partition": partition,
        "seed-spread": evaluate.seed_spread([partition, partition]),
    }


def test_main_figures_are_frozen_fields(results):
    ranking, ood = results["ranking"], results["temporal-like"]
    assert ranking.mrr == ranking["mrr"]
    assert ood.methods["missing"]["novel"]["auroc"] == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        ranking.mrr = 1.0
    with pytest.raises(TypeError):
        ranking["mrr"] = 1.0


def test_a_loaded_result_has_the_same_class(results, tmp_path):
    for name, result in results.items():
        got = Result.load(result.save(tmp_path / f"{name}.json"))
        assert type(got) is type(result)
        assert got == result
        assert repr(got) == repr(result)


def test_repr_is_the_table(results):
    for result in results.values():
        heading, names, *lines = repr(result).splitlines()
        assert heading.startswith(type(result).__name__)
        assert len(lines) == len(result.table())
    names, *lines = repr(results["ranking"]).splitlines()[1:]
    shown = dict(zip(names.split(), lines[0].split(), strict=True))
    assert float(shown["mrr"]) == pytest.approx(
        results["ranking"].mrr, abs=5e-5
    )
    assert "hits@5" in shown


def test_frames_contain_the_figures(results):
    pytest.importorskip("pandas")
    frame = results["temporal-like"].to_frame().set_index(["method", "kind"])
    for kind, row in results["temporal-like"].methods["missing"].items():
        if kind != "calibration":
            assert frame.loc[("missing", kind), "auroc"] == row["auroc"]
    ranking = results["ranking"]
    assert list(ranking.to_frame().group[:3]) == ["all", "tail", "head"]
    frame = ranking.to_frame("by_relation").set_index("name")
    for name, row in ranking["by_relation"].items():
        assert frame.mrr[name] == row["mrr"]
    assert frame.num.sum() == ranking["num_queries"]
    frame = ranking.to_frame("by_frequency")
    assert frame.mrr.tolist() == [r["mrr"] for r in ranking["by_frequency"]]
    spread = results["seed-spread"].to_frame().set_index("figure")
    assert (spread["std"] == 0).all()
    assert spread["mean"]["tau"] == results["partition"].tau


def test_to_frame_without_pandas_raises(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match=r"pyg_cagp\[frame\]"):
        results["ranking"].to_frame()


def test_config_depends_on_the_weights_of_the_model(toy):
    model = GaussianDistMult(toy.num_nodes, toy.num_relations, 2)
    before = evaluate.ranking(model, toy).config
    assert evaluate.ranking(model, toy).config == before
    # A write to `.data` does not raise the version of the tensor.
    model.rel_emb.weight.data[0, 0] += 1
    after = evaluate.ranking(model, toy).config
    assert {key for key in before if before[key] != after[key]} == {"model"}
