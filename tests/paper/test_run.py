"""Cells: what is computed, what is not, and what is left behind."""

import os
import signal
import threading
import time
from concurrent.futures.process import (
    BrokenProcessPool,
    ProcessPoolExecutor,
)
from dataclasses import replace
from multiprocessing import active_children

import pytest
import torch

from benchmark.paper import FULL, QUICK, Grid, Store, Workshop, run_cells
from benchmark.paper.cell import Cell, cell_keys
from benchmark.paper.grid import TRAINS
from pyg_cagp.exceptions import DatasetFormatError, DivergenceError
from pyg_cagp.train import Config

DATASET = "synthetic"


def _note(workshop, name):
    with open(workshop.path("calls"), "a") as file:
        file.write(f"{name}\n")


def plain(workshop, dataset, name, value=1):
    _note(workshop, name)
    return {"value": value, "entities": workshop.kg(dataset).num_nodes}


def keep(workshop, dataset, name, of=None, pause=0.0, value=0):
    _note(workshop, name)
    time.sleep(pause)
    before = 0 if of is None else int(workshop.kept(of)["x"].sum())
    workshop.keep(name, x=torch.arange(4) + before + value)
    return {}


def crowded(workshop, dataset, name):
    """Tells how many others are at it at the same time."""
    mark = workshop.path("at-it", name)
    mark.touch()
    time.sleep(0.5)
    found = len(list(mark.parent.iterdir()))
    mark.unlink()
    return {"at it": found}


def read(workshop, dataset, name, of, factor=1):
    _note(workshop, name)
    return {"sum": factor * int(workshop.kept(of)["x"].sum())}


def diverge(workshop, dataset, name):
    _note(workshop, name)
    raise DivergenceError("the loss is no finite number")


def stumble(workshop, dataset, name):
    _note(workshop, name)
    raise ValueError("a defect of ours")


def be_killed(workshop, dataset, name):
    _note(workshop, name)
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt(workshop, dataset, name):
    _note(workshop, name)
    if not workshop.path("go").exists():
        raise KeyboardInterrupt
    return {"value": 1}


def cell(compute, name, needs=(), dataset=DATASET, alone=False, **inputs):
    keeps = name if compute is keep else None
    inputs = {"name": name, **inputs}
    return Cell(name, compute, dataset, inputs, needs, keeps, alone)


class Bench:
    def __init__(self, folder):
        self.store = Store(folder / "records")
        self.workshop = Workshop(folder / "work", root=str(folder / "data"))

    def run(self, cells, jobs=1):
        found = run_cells(cells, self.store, self.workshop, jobs, False)
        self.computed = found.computed
        return found.failed

    def calls(self):
        """The cells that were computed since this was asked."""
        path = self.workshop.path("calls")
        found = path.read_text().split() if path.exists() else []
        path.unlink(missing_ok=True)
        return found

    def forget(self, name):
        self.workshop.path(f"{name}.npz").unlink()

    def results(self):
        return {n: self.store.read(n)["result"] for n in self.store.names()}


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def chain(factor=1):
    """Two cells that keep something, and one that reads it."""
    return [
        cell(keep, "first"),
        cell(keep, "second", ("first",), of="first"),
        cell(read, "third", ("second",), of="second", factor=factor),
        cell(plain, "other"),
    ]


def test_each_cell_once_and_after_what_it_needs(bench):
    assert bench.run(chain()) == {}
    assert bench.calls() == ["first", "second", "third", "other"]
    want = {"value": 1, "entities": 2000}
    assert bench.results() == {
        "first": {},
        "second": {},
        "third": {"sum": 4 * 6 + 6},
        "other": want,
    }
    assert bench.computed == 4
    assert bench.run(chain()) == {}
    assert bench.calls() == []
    assert bench.computed == 0


def test_the_grid_puts_first_what_others_need():
    grid = Grid(QUICK)
    chosen = grid.chosen(lambda name: "/errors/" in name)
    names = [cell.name for cell in chosen]
    assert len(names) == len(set(names))
    for place, cell in enumerate(chosen):
        assert set(cell.needs) <= set(names[:place])
    # Nothing but errors, and what they need.
    needed = {need for cell in chosen for need in cell.needs}
    assert {name for name in names if name not in needed} == {
        f"{dataset}/errors/{seed}"
        for dataset in QUICK.datasets
        for seed in range(QUICK.seeds)
    }


def test_what_must_run_alone_comes_last(bench):
    bench.run([cell(plain, "alone", alone=True), cell(plain, "crowd")])
    assert bench.calls() == ["crowd", "alone"]
    assert sorted(bench.results()) == ["alone", "crowd"]


def test_changed_inputs_code_or_data_are_computed_again(bench, monkeypatch):
    one, two = cell(plain, "one"), cell(plain, "two")
    bench.run([one, two])
    bench.calls()
    bench.run([cell(plain, "one", value=2), two])
    assert bench.calls() == ["one"]
    assert bench.results()["one"]["value"] == 2
    digest = bench.workshop.digest(DATASET)
    assert bench.store.has(two, two.key(digest))
    assert not bench.store.has(two, two.key("another"))
    monkeypatch.setattr(
        "benchmark.paper.cell.code_version", lambda module: module
    )
    bench.run([two])
    assert bench.calls() == ["two"]


def test_what_is_gone_is_made_again_only_if_it_is_needed(bench):
    bench.run(chain())
    bench.calls()
    bench.run(chain(factor=2))
    assert bench.calls() == ["third"]
    bench.forget("second")
    bench.run(chain(factor=2))
    assert bench.calls() == []
    bench.run(chain(factor=3))
    assert bench.calls() == ["second", "third"]
    bench.forget("first")
    bench.forget("second")
    bench.run(chain(factor=4))
    assert bench.calls() == ["first", "second", "third"]
    assert bench.results()["third"] == {"sum": 4 * 30}


def test_what_other_inputs_have_kept_is_not_read(bench, tmp_path):
    first = cell(keep, "first", value=1)
    bench.run([first])
    # Other records, of other inputs, with the same folder of what is kept.
    other = Store(tmp_path / "others")
    run_cells([cell(keep, "first", value=9)], other, bench.workshop, 1, False)
    assert bench.calls() == ["first", "first"]
    assert bench.run([first, cell(read, "third", ("first",), of="first")]) == {}
    assert bench.calls() == ["first", "third"]
    assert bench.results()["third"] == {"sum": 4 * 1 + 6}


def test_what_was_kept_by_a_cell_that_failed_is_not_read(bench):
    first = cell(keep, "first", value=1)
    bench.run([first])
    broken = cell(keep, "first", value=9, of="nothing")
    assert (
        "first"
        in run_cells(
            [broken],
            Store(bench.store.folder / "others"),
            bench.workshop,
            1,
            False,
        ).failed
    )
    bench.calls()
    assert bench.run([first, cell(read, "third", ("first",), of="first")]) == {}
    assert bench.calls() == ["first", "third"]


def test_a_cell_that_fails_is_told_and_others_go_on(bench):
    cells = [
        cell(plain, "before"),
        cell(diverge, "broken"),
        cell(plain, "after"),
        cell(diverge, "alone", alone=True),
    ]
    reason = "the loss is no finite number"
    assert bench.run(cells) == {"broken": reason, "alone": reason}
    assert bench.calls() == ["before", "broken", "after", "alone"]
    assert bench.store.names() == ["after", "before"]
    assert bench.run(cells) == {"broken": reason, "alone": reason}
    assert bench.calls() == ["broken", "alone"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_defect_in_one_cell_does_not_stop_the_rest(bench, jobs, capfd):
    cells = [cell(stumble, "broken"), cell(plain, "after")]
    assert bench.run(cells, jobs) == {"broken": "ValueError: a defect of ours"}
    assert bench.store.names() == ["after"]
    # Whoever mends it wants to know where it is.
    assert "in stumble" in capfd.readouterr().err


def test_a_process_that_is_killed_does_not_stop_the_rest(bench):
    cells = [
        cell(be_killed, "killed"),
        *(cell(plain, f"after-{n}", ("killed",)) for n in range(2)),
        *(cell(plain, f"other-{n}") for n in range(4)),
    ]
    failed = bench.run(cells, jobs=2)
    assert "was killed" in failed["killed"]
    assert "it needs 'killed'" in failed["after-0"]
    # What ran beside it may be lost as well; nothing else is.
    there = {f"other-{n}" for n in range(4)}
    assert len(there - set(bench.store.names())) <= 1
    assert bench.run(cells[3:], jobs=2) == {}
    assert set(bench.store.names()) == there


def test_a_cell_that_nobody_takes_waits_for_the_next(bench, monkeypatch):
    """A process can die between two cells."""
    broken = []

    class Pool(ProcessPoolExecutor):
        def submit(self, *args):
            if not broken:
                broken.append(args[1].name)
                raise BrokenProcessPool
            return super().submit(*args)

    monkeypatch.setattr("benchmark.paper.run.ProcessPoolExecutor", Pool)
    assert bench.run(chain(), jobs=2) == {}
    assert broken == ["first"]
    assert sorted(bench.calls()) == ["first", "other", "second", "third"]


def test_what_needs_a_failed_cell_does_not_stop_the_rest(bench):
    broken = Cell("broken", diverge, DATASET, {"name": "broken"}, (), "broken")
    cells = [broken, cell(read, "reads", ("broken",), of="broken")]
    failed = bench.run([*cells, cell(plain, "after")])
    assert set(failed) == {"broken", "reads"}
    assert bench.store.names() == ["after"]


def test_a_graph_that_is_not_there_is_told(bench):
    cells = [
        cell(plain, "missing", dataset="yago-sample"),
        cell(plain, "missing-too", dataset="yago-sample"),
        cell(plain, "there"),
    ]
    failed = bench.run(cells)
    assert list(failed) == ["missing", "missing-too"]
    folder = f"{bench.workshop.root}/YAGO-sample"
    for reason in failed.values():
        assert f"'yago-sample' is not at '{folder}'" in reason
    assert bench.calls() == ["there"]
    assert bench.store.names() == ["there"]


def test_two_large_cells_never_run_together(bench):
    large = [replace(cell(crowded, f"c{n}"), large=True) for n in range(4)]
    assert bench.run(large, jobs=2) == {}
    assert bench.results() == {f"c{n}": {"at it": 1} for n in range(4)}


def test_methods_that_take_much_memory_are_marked():
    large = {name for name, c in Grid(FULL).cells.items() if c.large}
    assert {name.split("/")[2] for name in large} == {"gpn"}
    graphs = {name.split("/")[0] for name in large}
    assert graphs == {"fb15k-237", "yago-sample"}


def test_what_takes_longest_comes_first(bench):
    names = ["g/tau/0", "g/scores/energy/0", "g/tau/1", "g/scores/gpn/0"]
    cells = [cell(plain, name) for name in names]
    found = run_cells(
        cells, bench.store, bench.workshop, 1, progress=False, spawn=True
    )
    assert found == (4, {})
    longest = ["g/scores/gpn/0", "g/scores/energy/0", "g/tau/0", "g/tau/1"]
    assert bench.calls() == longest


def test_two_processes_leave_the_same_records(tmp_path):
    cells = [
        cell(keep, "slow", pause=0.5),
        cell(read, "reads", ("slow",), of="slow"),
        cell(plain, "other"),
        cell(diverge, "broken"),
    ]
    records, failures = [], []
    for jobs in (1, 2):
        bench = Bench(tmp_path / str(jobs))
        failures.append(bench.run(cells, jobs))
        calls = bench.calls()
        assert sorted(calls) == ["broken", "other", "reads", "slow"]
        found = {n: bench.store.read(n) for n in bench.store.names()}
        for record in found.values():
            assert record.pop("seconds") >= 0
            # This process may compute with more than those it starts.
            assert record.pop("instructions")
        records.append(found)
    assert (
        failures[0] == failures[1] == {"broken": "the loss is no finite number"}
    )
    assert records[0] == records[1]
    assert records[1]["reads"]["result"] == {"sum": 6}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no record"),
        ("\x00", "is no record"),
        ('{"schema": 99}', "its schema is 99"),
        ("{}", "its schema is None"),
        ("[]", "is no record"),
        ('{"schema": 1}', "is no record"),
    ],
)
def test_what_is_no_record_is_named(bench, text, message):
    cells = [cell(plain, "some/one")]
    bench.run(cells)
    path = bench.store.path("some/one")
    path.write_text(text)
    with pytest.raises(DatasetFormatError, match=message) as caught:
        bench.run(cells)
    assert f"'{path}'" in str(caught.value)
    assert path.read_text() == text


def test_an_interruption_loses_one_cell(bench):
    cells = [
        cell(plain, "one"),
        cell(plain, "two"),
        cell(interrupt, "three"),
        cell(plain, "four"),
        cell(plain, "five"),
    ]
    with pytest.raises(KeyboardInterrupt):
        bench.run(cells)
    assert bench.calls() == ["one", "two", "three"]
    assert bench.store.names() == ["one", "two"]
    bench.workshop.path("go").touch()
    assert bench.run(cells) == {}
    assert bench.calls() == ["three", "four", "five"]
    assert len(bench.results()) == 5


def test_whoever_interrupts_does_not_wait_for_cells(bench):
    cells = [cell(keep, name, pause=600.0) for name in ("one", "two")]
    path = bench.workshop.path("calls")

    def press_ctrl_c():
        while not (path.exists() and path.read_text().count("\n") == 3):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press_ctrl_c, daemon=True).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        bench.run([cell(plain, "done"), *cells], jobs=2)
    assert time.monotonic() - start < 300
    assert not active_children()
    assert bench.store.names() == ["done"]


def test_figures_are_kept_with_six_digits(bench):
    result = {"a": 0.123456789, "b": [1234567.8, 3], "c": float("nan")}
    some = cell(plain, "some/one")
    bench.store.write(some, "digest", result, 1.0)
    got = bench.store.read("some/one")
    assert got["result"] == {"a": 0.123457, "b": [1234570.0, 3], "c": None}
    assert (got["dataset"], got["key"]) == (DATASET, "digest")
    assert got["inputs"] == {"name": "some/one"}
    assert bench.store.names() == ["some/one"]
    assert bench.store.read("some/two") is None


def test_tensors_are_kept_whole(bench):
    assert not bench.workshop.has("a/b")
    x = torch.rand(3, 2, dtype=torch.double)
    bench.workshop.keep("a/b", x=x, y=torch.arange(3))
    assert bench.workshop.has("a/b")
    got = bench.workshop.kept("a/b")
    assert torch.equal(got["x"], x)
    assert got["y"].tolist() == [0, 1, 2]


def test_a_cell_is_computed_again_if_what_it_needs_has_changed(bench):
    reader = cell(read, "read", ("kept",), of="kept")
    bench.run([cell(plain, "first"), cell(keep, "kept"), reader])
    bench.calls()
    bench.run([cell(plain, "first"), cell(keep, "kept", of=None), reader])
    assert bench.calls() == ["kept", "read"]
    assert cell_keys([reader], {}) == {}


def test_a_shipped_config_is_part_of_the_key():
    some = cell(plain, "one")
    assert some.key("d") != replace(some, config={"lr": 0.5}).key("d")
    found = Grid(QUICK).cells["synthetic/models/gaussian-distmult/0"]
    config = Config.find("synthetic", "gaussian-distmult")
    changed = config.override(QUICK.changes).to_dict()
    assert found.config == {"model": changed}
    recipe = Grid(QUICK).cells["synthetic/recipe/0"].config["model"]
    assert recipe["objective"] == {"name": "bce"}
    assert recipe["train"]["epochs"] == QUICK.changes["train.epochs"]


@pytest.mark.parametrize("budget", [QUICK, FULL])
def test_models_of_rivals_have_nothing_to_draw_from(budget):
    cells = Grid(budget).cells.values()
    found = [
        c.config["rival"] for c in cells if c.inputs.get("method") in TRAINS
    ]
    assert len(found) == 2 * budget.seeds * len(budget.datasets)
    for config in found:
        assert config["model"]["variational"] is False
        assert config["posterior"]["num_draws"] == 0
