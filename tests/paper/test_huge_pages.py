"""Cells are computed in huge pages, where there are any."""

import os
import platform
from pathlib import Path

import pytest
import torch

from benchmark.paper import Store, Workshop, run_cells
from benchmark.paper.cell import Cell
from benchmark.paper.huge_pages import HUGE, VARIABLE

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


def computed(tmp_path, alone=False):
    workshop = Workshop(tmp_path / "work", root=str(tmp_path / "data"))
    store = Store(tmp_path / "records")
    cells = [Cell("some/one", told, "synthetic", alone=alone)]
    assert run_cells(cells, store, workshop, 1, False, spawn=True).failed == {}
    return store.read("some/one")["result"]


def come_by_asking():
    """Whether a program has huge pages if it asks for them, and only then."""
    library, version = platform.libc_ver()
    if library != "glibc" or not ENABLED.exists():
        return False
    newer = tuple(map(int, version.split("."))) >= (2, 35)
    return newer and "[madvise]" in ENABLED.read_text()


def test_processes_are_told_to_ask(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert computed(tmp_path)["asked for"] == HUGE
    assert VARIABLE not in os.environ


@pytest.mark.skipif(
    not come_by_asking(), reason="no glibc 2.35, or huge pages without asking"
)
def test_tensors_lie_in_them(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    # Not all of it, as there may be too few of them.
    assert computed(tmp_path)["huge MiB"] >= 16


def test_other_tunables_are_kept(tmp_path, monkeypatch):
    given = "glibc.malloc.arena_max=2"
    monkeypatch.setenv(VARIABLE, given)
    assert computed(tmp_path)["asked for"] == f"{given}:{HUGE}"
    assert os.environ[VARIABLE] == given


def test_who_has_set_it_knows_best(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "glibc.malloc.hugetlb=0")
    assert computed(tmp_path)["asked for"] == "glibc.malloc.hugetlb=0"
    assert os.environ[VARIABLE] == "glibc.malloc.hugetlb=0"


def test_what_is_timed_is_left_as_it_is(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert computed(tmp_path, alone=True)["asked for"] is None
