"""Figures do not hang on what the processor can do."""

import os

import pytest

from benchmark.paper import Store, Workshop, run_cells
from benchmark.paper.cell import Cell
from benchmark.paper.instructions import (
    VARIABLE,
    instructions,
    same_instructions,
)
from pyg_cagp.exceptions import InvalidInputError


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
    return {
        "process": os.getpid(),
        "asked for": os.environ.get(VARIABLE),
        "instructions": instructions(),
    }


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path / "work", root=str(tmp_path / "data"))


@pytest.fixture
def able(monkeypatch):
    """This process could do more."""
    monkeypatch.delenv(VARIABLE, raising=False)
    name = "torch.backends.cpu.get_cpu_capability"
    monkeypatch.setattr(name, lambda: "AVX512")


@pytest.mark.parametrize(
    ("jobs", "spawn", "alone"), [(1, True, False), (2, False, True)]
)
@pytest.mark.usefixtures("able")
def test_a_process_of_its_own(tmp_path, workshop, jobs, spawn, alone):
    store = Store(tmp_path / "records")
    cells = [Cell("some/one", told, "synthetic", alone=alone)]
    assert run_cells(cells, store, workshop, jobs, False, spawn).failed == {}
    record = store.read("some/one")
    result = record["result"]
    assert result["process"] != os.getpid()
    assert result["asked for"] == "avx2"
    assert record["instructions"] == result["instructions"] != "AVX512"
    assert VARIABLE not in os.environ


@pytest.mark.usefixtures("able")
def test_models_of_other_instructions_are_not_mixed(tmp_path, workshop):
    one, two = (Store(tmp_path / name) for name in ("one", "two"))
    cells = [Cell("some/one", told, "synthetic")]
    assert run_cells(cells, one, workshop, progress=False).failed == {}
    assert one.read("some/one")["instructions"] == "AVX512"
    for _ in range(2):
        with pytest.raises(
            InvalidInputError, match=r"AVX512 \(got AVX2\)"
        ) as got:
            run_cells(cells, two, workshop, progress=False, spawn=True)
        assert f"'{workshop.folder}'" in str(got.value)
    assert two.names() == []
    # What is there needs no models.
    assert (
        run_cells(cells, one, workshop, progress=False, spawn=True).failed == {}
    )
