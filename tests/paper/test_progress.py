"""The bar over the grid tells how much time is left."""

import time
from collections import defaultdict

import pytest

from benchmark.paper import FULL, Grid, Store, Workshop, run_cells
from benchmark.paper.cell import Cell
from benchmark.paper.progress import EFFORT, SIZE, GridBar, effort, kind
from benchmark.paper.tables.effort import seconds_of
from tests.conftest import REPO

RESULTS = REPO / "benchmark" / "paper" / "results"


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("tqdm.std.time", clock)
    monkeypatch.setattr("time.monotonic", clock)
    return clock


def cells_of(*names):
    return [Cell(name, print, "synthetic") for name in names]


def last(capsys):
    """The bar as it was last drawn."""
    return capsys.readouterr().err.rstrip().split("\r")[-1]


def minutes(seconds):
    whole, rest = divmod(int(seconds), 60)
    return f"{whole:02d}:{rest:02d}"


def test_cells_count_with_the_time_they_take(clock, capsys):
    long, short = cells_of("g/scores/gpn/0", "g/scores/energy/0")
    ratio = effort(long.name) / effort(short.name)
    assert ratio > 5
    with GridBar([long, short], disable=False) as bar:
        clock.now += 10
        bar.ended(short, 10.0, True)
        drawn = last(capsys)
        assert "cells: 1/2" in drawn
        assert "g/scores/energy/0 10 s" in drawn
        assert f"[00:10<{minutes(10 * ratio)}," in drawn
        clock.now += 50
        bar.ended(long, 50.0, True)
        drawn = last(capsys)
        assert "cells: 2/2 100%" in drawn
        assert "[01:00<00:00," in drawn


def test_time_left_is_a_mean_over_the_whole_run(clock, capsys):
    cells = cells_of(*(f"g/tau/{seed}" for seed in range(4)))
    with GridBar(cells, disable=False) as bar:
        for cell, seconds in zip(cells, (1, 1, 28), strict=False):
            clock.now += seconds
            bar.ended(cell, float(seconds), True)
        assert "[00:30<00:10," in last(capsys)


def test_a_cell_that_is_under_way_counts_with_its_time(clock, capsys):
    one, two = cells_of("g/scores/gpn/0", "g/scores/gpn/1")
    whole = effort(one.name)
    with GridBar([one, two], disable=False) as bar:
        bar.began(one)
        clock.now += whole / 2
        bar.tick()
        assert " 25%|" in last(capsys)
        clock.now += 10 * whole
        bar.tick()
        assert " 50%|" in last(capsys)
        bar.ended(one, whole, True)
        assert " 50%|" in last(capsys)


def test_what_was_not_computed_says_nothing_about_the_rest(clock, capsys):
    cells = cells_of("g/tau/0", "g/scores/gpn/0", "g/tau/1")
    with GridBar(cells, disable=False) as bar:
        clock.now += 20
        bar.ended(cells[0], 20.0, True)
        bar.ended(cells[1], 0.0, False)
        drawn = last(capsys)
        assert "cells: 2/3" in drawn
        assert "[00:20<00:20," in drawn


def test_nothing_is_shown_without_a_terminal_or_cells(capsys):
    cells = cells_of("g/tau/0")
    with GridBar(cells) as bar:
        bar.ended(cells[0], 1.0, True)
    with GridBar([], disable=False) as bar:
        bar.tick()
    assert capsys.readouterr().err == ""


def wait_a_moment(workshop, dataset):
    time.sleep(0.3)
    return {}


class Counted(GridBar):
    calls: tuple[str, ...] = ()

    def began(self, cell):
        Counted.calls += ("began",)
        super().began(cell)

    def ended(self, cell, seconds, computed):
        Counted.calls += ("ended" if computed else "failed",)
        super().ended(cell, seconds, computed)

    def tick(self):
        Counted.calls += ("tick",)
        super().tick()


def test_time_passes_while_a_cell_is_computed(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmark.paper.run.GridBar", Counted)
    monkeypatch.setattr("benchmark.paper.run.TICK", 0.05)
    cells = [Cell("some/one", wait_a_moment, "synthetic")]
    workshop = Workshop(tmp_path / "work", root=str(tmp_path / "data"))
    found = run_cells(cells, Store(tmp_path), workshop, 1, spawn=True)
    assert found == (1, {})
    assert Counted.calls[0] == "began"
    assert "ended" in Counted.calls
    assert Counted.calls.index("ended") > 4


def test_what_takes_long_is_known():
    """Shares of the time of the committed records: what takes one part in a
    hundred of it is listed, and nothing is off by more than a factor of two.
    """
    store = Store(RESULTS)
    spent, expected = defaultdict(float), defaultdict(float)
    for name in store.names():
        for part in (kind(name), name.split("/")[0]):
            spent[part] += seconds_of(store.read(name))
            expected[part] += effort(name)
    graphs = {name.split("/")[0] for name in store.names()}
    total, guessed = (
        sum(times[graph] for graph in graphs) for times in (spent, expected)
    )
    for part, seconds in spent.items():
        if seconds > total / 100:
            assert part in EFFORT or part in graphs
            ratio = expected[part] / guessed / (seconds / total)
            assert 1 / 2 < ratio < 2, part


def test_nothing_is_listed_that_is_not_computed():
    assert EFFORT.keys() <= {kind(name) for name in Grid(FULL).cells}
    assert SIZE.keys() == set(FULL.datasets)
