"""Searches for a config."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import (
    EventAccumulator,
)

from pyg_cagp.data import as_kg
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.exceptions import CheckpointError, InvalidInputError
from pyg_cagp.train import Config, Trainer, TuneResult, rungs, train_run, tune
from pyg_cagp.train import trial as trial_module
from pyg_cagp.train.trial import draw_changes
from tests.train.graph import graph


@pytest.fixture
def kg():
    return as_kg(SyntheticKG(num_nodes=60, num_triples=500))


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Configs that train in a blink, and few of them."""
    choose = Config.for_graph
    changes = {"train.epochs": 4, "model.hidden_channels": 8}
    monkeypatch.setattr(
        Config,
        "for_graph",
        lambda *args, **options: choose(*args, **options).override(changes),
    )
    # `pyg_cagp.train.tune` is the function.
    module = sys.modules["pyg_cagp.train.tune"]
    monkeypatch.setattr(module, "MAX_TRIALS", 6)
    monkeypatch.setattr(rungs, "LEAST", {"num_nodes": 20, "num_val": 10})


def test_the_best_trials_and_the_first_go_on(kg, tmp_path):
    out = tmp_path / "new" / "tuned.toml"
    result = tune(kg, out=out, minutes=5, seed=3, progress=False)
    assert isinstance(result, TuneResult)
    by_rung = {}
    for row in result.trials:
        by_rung.setdefault(row["rung"], {})[row["trial"]] = row
    assert by_rung[0].keys() == set(range(6))
    numbers = sorted(by_rung)
    for low, high in pairwise(numbers):
        ranked = sorted(by_rung[low].values(), key=lambda row: -row["val/mrr"])
        order = list(dict.fromkeys([*(r["trial"] for r in ranked[:2]), 0]))
        if high == numbers[-1]:  # There is time for the others.
            order += [r["trial"] for r in ranked if r["trial"] not in order]
        assert list(by_rung[high]) == order
        assert by_rung[low][0]["triples"] <= by_rung[high][0]["triples"]
    last = by_rung[numbers[-1]]
    assert all(row["k"] == 0 for row in last.values())
    assert result.best["val/mrr"] == max(r["val/mrr"] for r in last.values())
    # The file is the config, and training with it gives that MRR again.
    config = Config.from_file(out)
    assert config == result.config
    assert config.train.epochs == 4
    assert f"# validation MRR {result.best['val/mrr']:.4f}" in out.read_text()
    run = train_run(kg, config, seed=3, progress=False)
    assert run.record["validation"]["val/mrr"] == pytest.approx(
        result.best["val/mrr"]
    )
    assert run.record["validation"]["val/log_loss"] == pytest.approx(
        result.best["val/log_loss"]
    )
    events = EventAccumulator(str(out.with_suffix(".trials") / "rung0-trial1"))
    events.Reload()
    assert events.Scalars("hparam/val/mrr")[0].value == pytest.approx(
        by_rung[0][1]["val/mrr"]
    )
    assert "_hparams_/session_start_info" in events.summary_metadata
    assert len(repr(result).splitlines()) == 1 + len(result.trials)


def test_trials_are_those_of_a_seed(kg):
    base = Config.for_graph(kg)
    drawn = [draw_changes(base, 9999, 0, trial) for trial in range(40)]
    assert drawn[0] == {}
    assert drawn == [draw_changes(base, 9999, 0, trial) for trial in range(40)]
    assert drawn != [draw_changes(base, 9999, 1, trial) for trial in range(40)]
    # Few entities need no sample of them.
    small = [draw_changes(base, 999, 0, trial) for trial in range(40)]
    assert not any("objective.name" in changes for changes in small)
    objectives = [c.get("objective.name", "kvsall") for c in drawn]
    assert 3 < objectives.count("sampled-softmax") < 20
    for changes in drawn:
        config = base.override(changes)
        assert config.model["hidden_channels"] in (4, 6, 8)
        assert 0.03 <= config.train.lr <= 0.3
    other = Config.for_graph(kg, "gaussian-transe")
    assert "model.dropout" not in draw_changes(other, 60, 0, 1)
    assert "objective.num_negatives" in draw_changes(other, 60, 0, 1)


SCRIPT = """
import os, signal, sys
import pyg_cagp.train
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.data import as_kg
from pyg_cagp.train import Config, Trainer
module = sys.modules["pyg_cagp.train.tune"]
module.MAX_TRIALS = 6
pyg_cagp.train.rungs.LEAST = {"num_nodes": 20, "num_val": 10}
choose = Config.for_graph
Config.for_graph = lambda *args, **options: choose(*args, **options).override(
    {"train.epochs": 4, "model.hidden_channels": 8}
)
fit, count = Trainer.fit, 0

def kill(self, **options):
    global count
    count += 1
    if count == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return fit(self, **options)

Trainer.fit = kill
kg = as_kg(SyntheticKG(num_nodes=60, num_triples=500))
pyg_cagp.train.tune(kg, out=sys.argv[1], minutes=5, seed=3, progress=False)
"""


def test_a_killed_search_goes_on(kg, tmp_path, monkeypatch):
    out = tmp_path / "tuned.toml"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(out)], check=False, env=os.environ
    )
    assert done.returncode == -signal.SIGKILL
    assert not out.exists()
    state = out.with_suffix(".trials.json")
    before = json.loads(state.read_text())["trials"]
    assert len(before) == 3
    fitted, fit = [], Trainer.fit
    monkeypatch.setattr(
        Trainer, "fit", lambda self: fitted.append(1) or fit(self)
    )
    result = tune(kg, out=out, minutes=5, seed=3, progress=False)
    assert result.trials[:3] == before
    assert len(fitted) == len(result.trials) - 3
    whole = tune(kg, minutes=5, seed=3, progress=False)
    timeless = [
        [{**row, "seconds": 0} for row in found.trials]
        for found in (result, whole)
    ]
    assert timeless[0] == timeless[1]
    # A finished search is not repeated.
    fitted.clear()
    again = tune(kg, out=out, minutes=5, seed=3, progress=False)
    assert (fitted, again.trials) == ([], result.trials)


def test_the_clock_ends_it(kg, monkeypatch):
    train_on = Trainer._train_on

    def slow(self, *args):
        time.sleep(0.3)
        train_on(self, *args)

    monkeypatch.setattr(Trainer, "_train_on", slow)
    start = time.monotonic()
    result = tune(kg, minutes=0.05, progress=False)
    # Without an end, it would take more than 30 seconds.
    assert time.monotonic() - start < 20
    assert "cut short" in {row["note"] for row in result.trials}
    # One result at least, however short the time.
    result = tune(kg, minutes=1e-6, progress=False)
    assert len(result.trials) == 1
    assert result.best["val/mrr"] > 0


def test_a_trial_that_diverges_has_an_mrr_of_zero(kg, monkeypatch):
    monkeypatch.setitem(trial_module.FACTORS, "train.lr", (1e30,))
    result = tune(kg, "gaussian-transe", minutes=5, progress=False)
    rows = [row for row in result.trials if row["trial"] > 0]
    assert len(rows) >= 5
    for row in rows:
        assert (row["note"], row["val/mrr"]) == ("diverged", 0.0)
        assert row["val/log_loss"] is None
    assert result.best["trial"] == 0
    assert result.config == Config.for_graph(kg, "gaussian-transe")
    assert "diverged" in repr(result)


def test_bad_input(kg, tmp_path):
    for minutes in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InvalidInputError, match="'minutes' must be posit"):
            tune(kg, minutes=minutes)
    kg.val_mask = torch.zeros_like(kg.val_mask)
    with pytest.raises(InvalidInputError, match=r"no validation triples.*load"):
        tune(kg)
    with pytest.raises(InvalidInputError, match=r"at least 2 ent"):
        tune(graph(1, 9))
    kg, out = graph(9, 30, num_relations=1), tmp_path / "tuned.toml"
    out.write_text("mine")
    with pytest.raises(InvalidInputError, match="already exists; choose an"):
        tune(kg, out=out)
    assert out.read_text() == "mine"
    out.unlink()
    tune(kg, out=out, minutes=1e-6, progress=False)
    for other, options in (
        (graph(9, 31), {}),
        (kg, {"seed": 1}),
        (kg, {"model": "kg2e"}),
    ):
        with pytest.raises(InvalidInputError, match="belongs to another sear"):
            tune(other, out=out, **options)
    out.with_suffix(".trials.json").write_text("{")
    with pytest.raises(CheckpointError, match="cannot be read"):
        tune(kg, out=out)
