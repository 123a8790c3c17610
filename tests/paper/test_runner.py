"""Runs of experiments: order, failures and recomputation."""

import os
import signal
from dataclasses import replace

import torch

from benchmark.paper import runner
from benchmark.paper.artifacts import Artifacts
from benchmark.paper.experiment import Experiment
from benchmark.paper.store import Store
from pyg_cagp.exceptions import InvalidInputError


def frequencies(setting):
    return {"sum": int(setting.coverage.frequency().sum())}


def scores(setting, key):
    values = {"x": torch.arange(3.0)}
    stored = setting.artifacts.tensors(setting.dataset, key, lambda: values)
    return {"sum": float(stored["x"].sum())}


def reads(setting, key):
    stored = setting.artifacts.tensors(setting.dataset, key)
    return {"max": float(stored["x"].max())}


def bad_input(setting):
    raise InvalidInputError("no such thing")


def defect(setting):
    return {"x": 1 / 0}


def killed(setting):
    os.kill(os.getpid(), signal.SIGKILL)


def experiment(name, compute, needs=(), **options):
    inputs = options.pop("inputs", {})
    return Experiment(
        f"golden/{name}", compute, inputs, ("data",), name, needs, **options
    )


STORED = experiment("scores/x", scores, stores=True)
READS = experiment(
    "reads", reads, ("golden/scores/x",), inputs={"key": STORED.key}
)


def run(tmp_path, *experiments, jobs=1):
    store = Store(tmp_path / "records")
    artifacts = Artifacts(tmp_path / "work")
    answer = runner.run_experiments(
        experiments, store, artifacts, jobs=jobs, progress=False
    )
    return answer, store


def test_experiments_run_after_those_they_read(tmp_path):
    plain = experiment("graph", frequencies)
    (computed, failed), store = run(tmp_path, READS, STORED, plain, jobs=2)
    assert (computed, failed) == (3, {})
    assert store.read("golden/reads")["result"] == {"max": 2.0}
    assert store.read("golden/graph")["result"] == {"sum": 2 * 2313}
    assert run(tmp_path, READS, STORED, plain)[0] == (0, {})


def test_missing_scores_are_recomputed_when_they_are_read(tmp_path):
    run(tmp_path, STORED, READS)
    for path in (tmp_path / "work").rglob("*.npz"):
        path.unlink()
    assert run(tmp_path, STORED, READS)[0] == (0, {})
    changed = replace(READS, config="other")
    assert run(tmp_path, STORED, changed)[0] == (2, {})


def test_a_failure_does_not_stop_other_experiments(tmp_path, capfd):
    plain = experiment("graph", frequencies)
    (computed, failed), store = run(
        tmp_path,
        plain,
        experiment("bad", bad_input),
        experiment("defect", defect),
        replace(plain, name="nowhere/graph"),
    )
    assert computed == 1
    assert store.names == ["golden/graph"]
    assert failed["golden/bad"] == "no such thing"
    assert failed["golden/defect"] == "ZeroDivisionError: division by zero"
    assert "nowhere" in failed["nowhere/graph"]
    assert "Traceback" in capfd.readouterr().err


def test_a_killed_experiment_is_reported(tmp_path):
    (computed, failed), _ = run(tmp_path, experiment("big", killed))
    assert computed == 0
    assert "lack of memory" in failed["golden/big"]


def test_recompute_verifies_or_names_different_figures(tmp_path):
    plain = experiment("graph", frequencies)
    _, store = run(tmp_path, plain)
    record = store.read(plain.name)

    def verify():
        artifacts = Artifacts(tmp_path / "other")
        return dict(runner.recompute([plain], [plain.name], store, artifacts))

    assert verify() == {plain.name: []}
    renewed = store.read(plain.name)["provenance"]
    assert renewed["verified_by"] == "recomputation"
    store.add([{**record, "result": {"sum": 1}}])
    assert verify() == {plain.name: ["/sum: 1 -> 4626"]}
    assert "verified_by" not in store.read(plain.name)["provenance"]
