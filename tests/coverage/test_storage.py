"""Coverage on disk."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from pyg_cagp import Coverage
from pyg_cagp.exceptions import CacheError, DatasetFormatError
from tests.conftest import random_edges
from tests.loops import for_each


@pytest.fixture
def cov():
    return Coverage.from_edges(*random_edges(300, 40, 2_000), 300, 40)


def test_save_leaves_one_file(cov, tmp_path):
    cov.save(tmp_path / "a.safetensors")
    cov.save(str(tmp_path / "a.safetensors"))  # Overwriting is fine.
    assert [p.name for p in tmp_path.iterdir()] == ["a.safetensors"]
    for mmap in (True, False):
        again = Coverage.load(str(tmp_path / "a.safetensors"), mmap=mmap)
        assert again.equal(cov)


@pytest.mark.skipif(
    not Path("/proc/self/maps").exists(), reason="needs Linux's /proc"
)
def test_loaded_tensors_are_mapped(cov, tmp_path):
    path = tmp_path / "a.safetensors"
    cov.save(path)
    again = Coverage.load(path)
    with open("/proc/self/maps") as maps:
        assert str(path) in maps.read()
    assert again.equal(cov)


def test_a_failed_save_leaves_the_old_file(cov, tmp_path, monkeypatch):
    path = tmp_path / "a.safetensors"
    cov.save(path)
    before = path.read_bytes()

    def full_disk(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        cov.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.safetensors"]


def test_a_truncated_file_raises(cov, tmp_path):
    path = tmp_path / "a.safetensors"
    cov.save(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DatasetFormatError, match="coverage file"):
        Coverage.load(path)


def test_load_without_mmap_copies(cov, tmp_path):
    path = tmp_path / "a.safetensors"
    cov.save(path)
    copied = Coverage.load(path, mmap=False)
    size = path.stat().st_size
    with open(path, "r+b") as file:  # Overwrite the file of the copy.
        file.write(b"\0" * size)
    assert copied.equal(cov)


def damaged(cov, **changes):
    return {**{k: t.clone() for k, t in cov.tensors().items()}, **changes}


@for_each(
    ("change", "message"),
    [
        (lambda c: {"col": c.col + 40}, "out of range"),
        (lambda c: {"col": c.col.flip(0)}, "must ascend in a row"),
        (lambda c: {"head_count": -c.head_count.short()}, "is negative"),
        (
            lambda c: {
                "head_count": torch.zeros_like(c.head_count),
                "tail_count": torch.zeros_like(c.tail_count),
            },
            "a pair",
        ),
        (lambda c: {"col": c.col.float()}, "must hold integers"),
        (lambda c: {"rowptr": c.rowptr.flip(0)}, "'rowptr' must"),
    ],
)
def test_a_damaged_index_raises(cov, tmp_path, change, message):
    path = tmp_path / "a.safetensors"
    metadata = {
        "format": "pyg_cagp.coverage",
        "version": "1",
        "num_relations": "40",
    }
    save_file(damaged(cov, **change(cov)), path, metadata)
    with pytest.raises(DatasetFormatError, match=message):
        Coverage.load(path)


@for_each(
    ("metadata", "message"),
    [
        ({}, "is not a coverage file"),
        ({"version": "2"}, "has version 2, this pyg_cagp reads up to 1"),
        ({"version": "x"}, "coverage file"),
        ({"version": "1"}, "num_relations"),
    ],
)
def test_other_and_newer_files_raise(cov, tmp_path, metadata, message):
    path = tmp_path / "a.safetensors"
    if metadata:
        metadata["format"] = "pyg_cagp.coverage"
    save_file(cov.tensors(), path, metadata)
    with pytest.raises(DatasetFormatError, match=message):
        Coverage.load(path)


def test_missing_paths_raise(cov, tmp_path):
    with pytest.raises(FileNotFoundError, match="no coverage file"):
        Coverage.load(tmp_path / "none")
    with pytest.raises(CacheError, match="cannot write to"):
        cov.save(tmp_path / "nowhere" / "a.safetensors")
