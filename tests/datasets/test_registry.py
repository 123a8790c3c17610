"""Datasets by name, and the folders that hold them."""

import pytest

from pyg_cagp.datasets import cache as cache_module
from pyg_cagp.datasets import load, names
from pyg_cagp.datasets.cache import (
    cache_dir,
    data_root,
    dataset_root,
    is_writable,
)
from pyg_cagp.datasets.registry import _PYG_PINS, REGISTRY
from pyg_cagp.exceptions import (
    CacheError,
    ChecksumError,
    DownloadError,
    InvalidInputError,
)
from tests.loops import for_each


def test_names_of_datasets():
    assert {"fb15k-237", "wn18rr", "yago3-10", "icews14"} < set(names())
    assert {"codex-s", "codex-m", "codex-l", "nl27k", "synthetic"} < set(
        names()
    )


def test_unknown_names_raise(tmp_path):
    for name in ("fb15k-238", ""):
        with pytest.raises(InvalidInputError, match=rf"\(got '{name}'\)"):
            load(name, root=tmp_path)
    with pytest.raises(InvalidInputError, match="~no-such-user"):
        load("~no-such-user/graph")


def test_synthetic_depends_on_the_seed():
    assert load("Synthetic").num_nodes == 2_000
    one, two = load("synthetic", seed=1), load("synthetic", seed=2)
    assert not one.edge_index.equal(two.edge_index)


def test_folder_by_path_or_by_name(tmp_path):
    folder = tmp_path / "Mine"
    folder.mkdir()
    for name in ("train", "valid", "test"):
        (folder / f"{name}.txt").write_text("a\tr\tb\n")
    assert load(folder).num_edges == 3
    assert load("Mine", root=tmp_path).num_edges == 3


def test_root_is_the_argument_or_the_environment(tmp_path, monkeypatch):
    assert data_root() == cache_dir()
    monkeypatch.setenv("PYG_CAGP_DATA", str(tmp_path / "env"))
    assert data_root() == tmp_path / "env"
    assert data_root(tmp_path / "arg") == tmp_path / "arg"
    monkeypatch.delenv("PYG_CAGP_CACHE")
    assert cache_dir().name == "pyg_cagp"


def test_a_read_only_root_is_linked_into_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PYG_CAGP_CACHE", str(tmp_path / "cache"))
    raw = tmp_path / "data" / "FB15k-237" / "raw"
    raw.mkdir(parents=True)
    (raw / "train.txt").write_text("a\tr\tb\n")
    assert dataset_root("FB15k-237", tmp_path / "data") == raw.parent
    raw.parent.chmod(0o555)
    try:
        assert not is_writable(raw.parent / "deeper")
        for _ in range(2):
            mirror = dataset_root("FB15k-237", tmp_path / "data")
            assert (tmp_path / "cache") in mirror.parents
            link = mirror / "raw" / "train.txt"
            assert link.resolve() == raw / "train.txt"
        # Files downloaded later lie in the mirror and are not missing.
        entry = REGISTRY["fb15k-237"]
        assert entry.missing(tmp_path / "data") == ["valid.txt", "test.txt"]
        (mirror / "raw" / "valid.txt").touch()
        assert entry.missing(tmp_path / "data") == ["test.txt"]
    finally:
        raw.parent.chmod(0o755)


def test_files_are_copied_without_symbolic_links(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("links are not allowed")

    monkeypatch.setattr(cache_module.os, "symlink", refuse)
    (tmp_path / "a").write_text("x")
    cache_module._link(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "x"
    assert not (tmp_path / "b").is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


def test_a_broken_link_is_replaced(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to(tmp_path / "gone")
    cache_module._link(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "x"


def test_a_lock_in_a_read_only_folder_raises(tmp_path):
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(CacheError, match="PYG_CAGP_CACHE"):
            cache_module.locked(tmp_path / "x").__enter__()
    finally:
        tmp_path.chmod(0o755)


@for_each("name", ["fb15k-237", "wn18rr"])
def test_raw_files_of_pyg_are_verified(tmp_path, name):
    raw = tmp_path / REGISTRY[name].folder / "raw"
    raw.mkdir(parents=True)
    for file in ("train.txt", "valid.txt", "test.txt"):
        (raw / file).write_text("a\t_hypernym\tb\n")
    with pytest.raises(ChecksumError, match="is not the published file"):
        load(name, root=tmp_path)
    assert not (raw.parent / "processed").exists()


def test_a_truncated_cache_of_pyg_is_rebuilt(tmp_path, monkeypatch):
    from torch_geometric.datasets import WordNet18RR

    monkeypatch.setitem(
        _PYG_PINS,
        WordNet18RR,
        {f"{n}.txt": () for n in ("train", "valid", "test")},
    )
    root = tmp_path / "WN18RR"
    (root / "raw").mkdir(parents=True)
    for file in ("train", "valid", "test"):
        (root / "raw" / f"{file}.txt").write_text("a\t_hypernym\tb\n")
    assert load("wn18rr", root=tmp_path).num_edges == 3
    cached = root / "processed" / "data.pt"
    cached.write_bytes(cached.read_bytes()[:100])
    assert load("wn18rr", root=tmp_path).num_edges == 3


def test_missing_files_are_downloaded_over_https(tmp_path, monkeypatch):
    monkeypatch.setattr("socket.getaddrinfo", _no_network)
    for name in ("fb15k-237", "codex-m", "yago3-10", "cn15k"):
        with pytest.raises(DownloadError, match="cannot fetch 'https://"):
            load(name, root=tmp_path / name)
        files = [p for p in (tmp_path / name).rglob("*") if p.is_file()]
        assert [p.name for p in files] == [".pyg_cagp.lock"]


def _no_network(*_, **__):
    raise OSError("the network is unreachable")


def test_missing_files_are_listed(tmp_path):
    assert len(REGISTRY["codex-s"].files) == 5
    assert "softlogic.txt" in REGISTRY["nl27k"].files
    entry = REGISTRY["icews14"]
    assert entry.missing(tmp_path) == list(entry.files)
    raw = tmp_path / "ICEWS14" / "raw"
    raw.mkdir(parents=True)
    (raw / entry.files[0]).touch()
    assert entry.missing(tmp_path) == list(entry.files[1:])
