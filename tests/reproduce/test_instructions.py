"""Figures do not hang on what the processor can do."""

import os

import pytest

from pyg_cagp.reproduce import Store, Workshop, run_cells
from pyg_cagp.reproduce.cell import Cell
from pyg_cagp.reproduce.instructions import (
    VARIABLE,
    instructions,
    same_instructions,
)


@pytest.mark.parametrize(
    ("able", "before", "meanwhile"),
    [
        ("AVX512", None, "avx2"),
        ("AVX512", "default", "default"),
        ("AVX2", None, None),
        ("NO AVX", None, None),
    ],
)
def test_processes_are_asked_for_no_more_than_avx2(
    monkeypatch, able, before, meanwhile
):
    name = "torch.backends.cpu.get_cpu_capability"
    monkeypatch.setattr(name, lambda: able)
    monkeypatch.delenv(VARIABLE, raising=False)
    if before is not None:
        monkeypatch.setenv(VARIABLE, before)
    with same_instructions():
        assert os.environ.get(VARIABLE) == meanwhile
    assert os.environ.get(VARIABLE) == before


def told(workshop, dataset):
    return {"process": os.getpid(), "instructions": instructions()}


def test_a_process_of_its_own(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    store = Store(tmp_path)
    cells = [Cell("some/one", told, "synthetic")]
    workshop = Workshop(tmp_path / "work", root=str(tmp_path / "data"))
    assert run_cells(cells, store, workshop, progress=False, spawn=True) == {}
    record = store.read("some/one")
    assert record["result"]["process"] != os.getpid()
    assert record["result"]["instructions"] != "AVX512"
    assert record["instructions"] == record["result"]["instructions"]
    assert VARIABLE not in os.environ
