"""Cells are computed in huge pages, where there are any."""

import os
import platform
from pathlib import Path

import pytest
import torch

from pyg_cagp.reproduce import Store, Workshop, run_cells
from pyg_cagp.reproduce.cell import Cell
from pyg_cagp.reproduce.huge_pages import HUGE, VARIABLE

MIB = 2**20
ENABLED = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def told(workshop, dataset):
    """Tells what of a tensor of 64 MiB lies in huge pages."""
    block = torch.ones(64 * MIB // 4)
    huge = 0
    rollup = Path("/proc/self/smaps_rollup")
    if rollup.exists():
        lines = rollup.read_text().splitlines()
        found = [line for line in lines if line.startswith("AnonHugePages")]
        huge = sum(int(line.split()[1]) for line in found) // 1024
    return {
        "asked for": os.environ.get(VARIABLE),
        "huge MiB": huge,
        "sum": float(block.sum()),
    }


def computed(tmp_path, alone=False, spawn=True):
    workshop = Workshop(tmp_path / "work", root=str(tmp_path / "data"))
    store = Store(tmp_path / "records")
    cells = [Cell("some/one", told, "synthetic", alone=alone)]
    assert run_cells(cells, store, workshop, 1, False, spawn) == {}
    return store.read("some/one")["result"]


def can_ask():
    library, version = platform.libc_ver()
    newer = library == "glibc" and tuple(map(int, version.split("."))) >= (
        2,
        35,
    )
    return newer and ENABLED.exists() and "[never]" not in ENABLED.read_text()


def test_processes_are_told_to_ask(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert computed(tmp_path)["asked for"] == HUGE
    assert VARIABLE not in os.environ


@pytest.mark.skipif(not can_ask(), reason="no glibc 2.35, or no huge pages")
def test_tensors_lie_in_them(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert computed(tmp_path)["huge MiB"] >= 60


def test_who_has_set_it_knows_best(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "glibc.malloc.hugetlb=0")
    assert computed(tmp_path)["asked for"] == "glibc.malloc.hugetlb=0"
    assert os.environ[VARIABLE] == "glibc.malloc.hugetlb=0"


def test_what_is_timed_is_left_as_it_is(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert computed(tmp_path, alone=True)["asked for"] is None
