"""The bar over the grid tells how much time is left."""

import time
from collections import defaultdict
from statistics import mean

import pytest

from pyg_cagp.reproduce import FULL, Grid, Store
from pyg_cagp.reproduce.cell import Cell
from pyg_cagp.reproduce.progress import EFFORT, GridBar, effort
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
    return clock


def cells_of(*names):
    return [Cell(name, print, "synthetic") for name in names]


def shown(capsys):
    """The bar as it was last drawn."""
    return capsys.readouterr().err.replace("\n", "\r").strip("\r")


def last(capsys):
    return shown(capsys).split("\r")[-1]


def kind(name):
    parts = name.split("/")[1:]
    both = "/".join(parts[:2])
    return both if both in EFFORT else parts[0]


def test_cells_count_with_the_time_they_take(clock, capsys):
    long, short = cells_of("g/scores/gpn/0", "g/scores/energy/0")
    ratio = effort(long.name) / effort(short.name)
    assert ratio > 5
    with GridBar([long, short], disable=False) as bar:
        clock.now += 10
        bar.done(short, 10.0)
        drawn = last(capsys)
        assert "cells: 1/2" in drawn
        assert "g/scores/energy/0 10 s" in drawn
        left = round(10 * ratio)
        assert f"[00:10<{left // 60:02d}:{left % 60:02d}," in drawn
        clock.now += 50
        bar.done(long, 50.0)
        drawn = last(capsys)
        assert "cells: 2/2 100%" in drawn
        assert "[01:00<00:00," in drawn


def test_time_left_is_a_mean_over_the_whole_run(clock, capsys):
    cells = cells_of(*(f"g/tau/{seed}" for seed in range(4)))
    with GridBar(cells, disable=False) as bar:
        for seconds in (1, 1, 28):
            clock.now += seconds
            bar.done(cells[0], float(seconds))
        assert "[00:30<00:10," in last(capsys)


def test_time_passes_while_nothing_is_done(clock, capsys, monkeypatch):
    monkeypatch.setattr("pyg_cagp.reproduce.progress.TICK", 0.01)
    with GridBar(cells_of("g/scores/gpn/0"), disable=False):
        clock.now += 75
        until = time.monotonic() + 60
        drawn = ""
        while "[01:15<" not in drawn:
            assert time.monotonic() < until, drawn
            time.sleep(0.01)
            drawn += shown(capsys)


def test_nothing_is_shown_without_a_terminal(capsys):
    cells = cells_of("g/tau/0")
    with GridBar(cells) as bar:
        bar.done(cells[0], 1.0)
    assert capsys.readouterr().err == ""


def test_what_takes_long_is_known():
    """Times of the committed records: what takes one part in a hundred of all
    of it is listed, and nothing is off by more than a factor of two."""
    store = Store(RESULTS)
    spent = defaultdict(list)
    for name in store.names():
        spent[kind(name)].append(store.read(name)["seconds"])
    total = sum(map(sum, spent.values()))
    measured = {part: mean(times) for part, times in spent.items()}
    for part, times in spent.items():
        if sum(times) > total / 100:
            assert part in EFFORT
            assert EFFORT[part] / 2 < measured[part] < EFFORT[part] * 2, part


def test_nothing_is_listed_that_is_not_computed():
    assert EFFORT.keys() <= {kind(name) for name in Grid(FULL).cells}
