"""Records: what is written is what is read."""

import json
import os

import pytest
import torch

from pyg_cagp.data import kg_digest
from pyg_cagp.evaluate import Record
from pyg_cagp.exceptions import (
    CacheError,
    DatasetFormatError,
    InvalidInputError,
)


@pytest.fixture
def record(toy):
    return Record.make(
        "test",
        toy,
        {"alpha": 0.1, "path": torch.float},
        {"a": 1.5, "none": None, "nan": float("nan"), "rows": [{"b": (1, 2)}]},
        {"score/x": torch.arange(3.0), "kind": torch.tensor([0, 1, 2])},
        seed=7,
    )


def test_round_trip(record, toy, tmp_path):
    path = record.save(tmp_path / "r.json")
    got = Record.load(path)
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


def test_without_samples(record, tmp_path):
    got = Record.load(record.save(tmp_path / "r.json", samples=False))
    assert got.samples == {}
    assert not (tmp_path / "r.json.npz").exists()


def test_it_is_a_mapping_of_its_figures(record):
    assert record["a"] == 1.5
    assert list(record) == ["a", "none", "nan", "rows"]
    assert len(record) == 4
    assert "a" in record
    assert "b" not in record


def test_what_is_no_record_is_refused(record, tmp_path):
    path = tmp_path / "r.json"
    for text in ("{", "[]", "{}", '{"schema": 1}'):
        path.write_text(text)
        with pytest.raises(DatasetFormatError, match="is not a whole record"):
            Record.load(path)
    record.save(path)
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "schema": 99}))
    with pytest.raises(DatasetFormatError, match="record of schema 99"):
        Record.load(path)
    path.write_text(json.dumps(document))
    (tmp_path / "r.json.npz").write_bytes(b"PK no zip")
    with pytest.raises(DatasetFormatError, match="is not a whole record"):
        Record.load(path)


def test_samples_of_two_records_stay_apart(record, toy, tmp_path):
    other = Record.make("x", toy, {}, {}, {"kind": torch.arange(2)})
    paths = [
        part.save(tmp_path / name)
        for part, name in ((record, "run.seed0"), (other, "run.seed1"))
    ]
    got = [Record.load(path) for path in paths]
    assert got[0].samples["kind"].tolist() == [0, 1, 2]
    assert got[1].samples["kind"].tolist() == [0, 1]
    assert got[0] == Record.load(paths[0]) != got[1]
    assert len({got[0], got[1], Record.load(paths[0])}) == 2
    with pytest.raises(InvalidInputError, match="that of the JSON file"):
        record.save(tmp_path / "x.npz")


def test_nothing_half_written_is_left_behind(record, tmp_path):
    with pytest.raises(CacheError, match="cannot write to"):
        record.save(tmp_path / "missing" / "r.json")
    broken = Record.make("x", _tiny(), {}, {}, {"bad": torch.arange(2)})
    broken.samples["bad"] = "no tensor"
    with pytest.raises(AttributeError):
        broken.save(tmp_path / "r.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("", InvalidInputError, "is a folder; name the file"),
        ("folder", InvalidInputError, "'folder' is a folder"),
        # The place of the samples beside the record.
        ("taken", InvalidInputError, r"'taken\.npz' is a folder"),
        ("none/r.json", CacheError, "cannot write to 'none'"),
        ("file/r.json", CacheError, "cannot write to 'file'"),
        ("locked/r.json", CacheError, "cannot write to 'locked'"),
    ],
)
def test_no_place_to_write(record, tmp_path, monkeypatch, path, error, message):
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
    with pytest.raises(error, match=message):
        record.save(path)
    assert sorted(tmp_path.rglob("*")) == before


def _tiny():
    from pyg_cagp.data import as_kg
    from tests.conftest import split

    return as_kg((split((0, 0, 1)), split((0, 0, 2)), split((0, 0, 3))))
