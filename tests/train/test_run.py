"""Whole runs: killed and resumed, and as TensorBoard shows them."""

import json
import math
import os
import signal
import subprocess
import sys
import time

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import (
    EventAccumulator,
)

from pyg_cagp.cli import main
from pyg_cagp.datasets import load
from pyg_cagp.exceptions import CheckpointError, InvalidInputError
from pyg_cagp.train import (
    Config,
    load_checkpoint,
    load_model,
    load_run,
    save_checkpoint,
    train_run,
)
from pyg_cagp.train.build import MODELS

SET = {
    "train.epochs": 4,
    "train.lr": 0.1,
    "train.batch_size": 2048,
    "train.eval_every": 2,
    "train.checkpoint_every": 5,
    "train.eval_triples": 100,
    "model.hidden_channels": 8,
}
FLAGS = [f"--set={key}={value}" for key, value in SET.items()]

# Half of the n-th checkpoint reaches the disk, and then the power goes.
KILLED_IN_MID_CHECKPOINT = """
import os, pathlib, signal, sys
from pyg_cagp.cli import main
write, count = pathlib.Path.write_bytes, 0

def write_half(self, content):
    global count
    if "last.safetensors" in self.name:
        count += 1
        if count == 5:
            write(self, content[: len(content) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
    return write(self, content)

pathlib.Path.write_bytes = write_half
main(sys.argv[1:])
"""

# The n-th step is never finished.
KILLED_IN_MID_EPOCH = """
import os, signal, sys
from pyg_cagp.cli import main
from pyg_cagp.train import Trainer
train_on, count = Trainer._train_on, 0

def kill(self, *args):
    global count
    count += 1
    if count == 18:
        os.kill(os.getpid(), signal.SIGKILL)
    train_on(self, *args)

Trainer._train_on = kill
main(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYG_CAGP_CACHE", str(out.parent / "cache"))
        kg = load("synthetic")
    config = Config.find("synthetic", "gaussian-distmult").override(SET)
    return out, train_run(
        kg, config, out=out, dataset="synthetic", progress=False
    )


def weights(out):
    return (out / "model.safetensors").read_bytes()


@pytest.mark.parametrize(
    "script", [KILLED_IN_MID_EPOCH, KILLED_IN_MID_CHECKPOINT]
)
def test_killed_and_resumed_is_bit_identical(finished, tmp_path, script):
    out = tmp_path / "broken"
    args = ["train", "synthetic", "--out", str(out), *FLAGS]
    killed = subprocess.run([sys.executable, "-c", script, *args], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert (out / "last.safetensors").exists()
    assert not (out / "run.json").exists()
    with pytest.raises(CheckpointError, match="interrupted; go on with --res"):
        load_run(out)
    assert main(args) == 2  # It does not begin anew over what is there.
    assert main([*args, "--resume"]) == 0
    assert weights(out) == weights(finished[0])
    assert not list(out.glob(".*"))
    first, second = (
        json.loads((folder / "run.json").read_text())
        for folder in (finished[0], out)
    )
    assert first["progress"] == second["progress"]
    assert first["validation"] == second["validation"]


def test_killed_from_outside_and_resumed(finished, tmp_path):
    """Kill -9 at whatever moment it comes."""
    out = tmp_path / "broken"
    args = ["train", "synthetic", "--out", str(out), *FLAGS]
    process = subprocess.Popen([sys.executable, "-m", "pyg_cagp", *args])
    deadline = time.monotonic() + 120
    while not (out / "last.safetensors").exists():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert main([*args, "--resume"]) == 0
    assert weights(out) == weights(finished[0])


def test_loads_what_was_saved(finished):
    out, run = finished
    again = load_run(out)
    every = torch.arange(run.model.num_nodes)
    assert torch.equal(
        run.model.mean_variance(every), again.model.mean_variance(every)
    )
    assert torch.equal(
        run.model(every, every * 0, every.flip(0)),
        again.model(every, every * 0, every.flip(0)),
    )
    assert again.config == run.config
    assert again.record == json.loads(json.dumps(run.record))
    # Entities that no triple speaks of keep the prior.
    unseen = run.model.node_freq == 0
    prior = torch.tensor(run.record["prior_variance"])
    if unseen.any():
        got = again.model.mean_variance(every)[unseen]
        torch.testing.assert_close(got, prior.expand_as(got))
    assert (again.model.mean_variance(every)[~unseen] < prior).all()


def test_training_s_variances_stay_beside_the_posterior(finished):
    out, run = finished
    again = load_run(out).model
    assert again.posterior.key == run.model.posterior.key
    assert again.posterior.prior_variance == run.record["prior_variance"]
    tensors, _ = load_checkpoint(out / "last.safetensors")
    for name, tensor in again.state_dict().items():
        assert torch.equal(tensor, tensors[f"best.{name}"]), name
    again.set_posterior(None)
    assert again.posterior.key != run.model.posterior.key


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("log_variance_", lambda x: x[1:]),
        ("log_variance_", lambda x: x.expand(-1, 3)),
        ("log_variance_", lambda x: x[:, 0]),
        ("log_variance_", lambda x: x.long()),
        ("log_variance_", lambda x: x.fill_(math.nan)),
        ("log_variance_", lambda x: x.fill_(-1000.0)),
        ("log_variance_", lambda x: x.fill_(1000.0)),
        ("frequency_", lambda x: x[1:]),
        ("frequency_", lambda x: x.float()),
        ("frequency_", lambda x: -x),
        ("_extra_state", lambda x: x.fill_(0.0)),
        ("_extra_state", lambda x: x.fill_(math.inf)),
        ("_extra_state", lambda x: torch.ones(2)),
        ("_extra_state", lambda x: None),
        ("other", lambda x: torch.ones(1)),
    ],
)
def test_posteriors_of_strangers_are_checked(finished, tmp_path, name, change):
    path = finished[0] / "model.safetensors"
    tensors, meta = load_checkpoint(path)
    del meta["crc32"]
    tensors[f"posterior.{name}"] = change(tensors.get(f"posterior.{name}"))
    tensors = {k: v for k, v in tensors.items() if v is not None}
    save_checkpoint(tmp_path / path.name, tensors, meta)
    with pytest.raises(CheckpointError, match="cannot be read as the model"):
        load_model(tmp_path / path.name)


def test_tensorboard_shows_the_run(finished):
    out, run = finished
    events = EventAccumulator(str(out), {"histograms": 0, "images": 0})
    events.Reload()
    tags = events.Tags()
    for tag in ("loss", "nll", "kl", "beta", "lr"):
        steps = [event.step for event in events.Scalars(f"train/{tag}")]
        assert steps == [1, 2, 3, 4]
    mrr = [event.value for event in events.Scalars("val/mrr")]
    expected = [
        entry["val/mrr"]
        for entry in run.record["progress"]["history"]
        if "val/mrr" in entry
    ]
    assert mrr == pytest.approx(expected)
    assert len(mrr) == 2
    assert "variance/quantile_0.5" in tags["scalars"]
    tenths = [tag for tag in tags["histograms"] if "by_frequency" in tag]
    assert len(tenths) == 10
    # After the posterior was fitted, rare entities vary more than others.
    low, high = (
        events.Histograms(f"log10_variance_by_frequency/tenth_{tenth}")[-1]
        for tenth in ("01", "10")
    )
    mean = [part.histogram_value for part in (low, high)]
    assert mean[0].sum / mean[0].num > mean[1].sum / mean[1].num + 0.03
    assert "variance_vs_frequency" in tags["images"]
    assert events.Images("variance_vs_frequency")[0].width > 300
    assert "_hparams_/session_start_info" in events.summary_metadata
    content = events.summary_metadata[
        "_hparams_/session_start_info"
    ].plugin_data.content
    assert b"model.hidden_channels" in content
    projector = (out / "projector_config.pbtxt").read_text()
    assert "metadata.tsv" in projector
    (table,) = out.rglob("metadata.tsv")
    lines = table.read_text().splitlines()
    assert lines[0] == "name\tfrequency\tvariance"
    assert len(lines) == 1 + min(5000, run.model.num_nodes)


@pytest.mark.parametrize("epoch", [1, 2])
def test_resumed_events_are_shown_once(tmp_path, epoch):
    """Killed when an epoch is on the screen, but not yet in a checkpoint."""
    out = tmp_path / "broken"
    args = ["train", "synthetic", "--out", str(out), *FLAGS]
    args.append("--set=train.checkpoint_every=0")
    script = KILLED_IN_MID_CHECKPOINT.replace("count == 5", f"count == {epoch}")
    killed = subprocess.run([sys.executable, "-c", script, *args], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert main([*args, "--resume"]) == 0
    events = EventAccumulator(str(out))
    events.Reload()
    steps = [event.step for event in events.Scalars("train/loss")]
    assert steps == [1, 2, 3, 4]


def test_bad_input(finished, tmp_path, capsys):
    out, _ = finished
    kg = load("synthetic")
    config = Config.find("synthetic", "gaussian-distmult").override(SET)
    with pytest.raises(InvalidInputError, match="already holds a run"):
        train_run(kg, config, out=out)
    events = sorted(out.glob("events*"))
    other = kg.clone()
    other.edge_type = (other.edge_type + 1) % kg.num_relations
    for graph, changed, seed in (
        (kg, config, 1),
        (kg, config.override({"train.lr": 0.2}), 0),
        (other, config, 0),
    ):
        with pytest.raises(CheckpointError, match="belongs to another run"):
            train_run(graph, changed, out=out, seed=seed, resume=True)
    assert sorted(out.glob("events*")) == events
    with pytest.raises(CheckpointError, match="holds no finished run; train"):
        load_run(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(CheckpointError, match="cannot be read"):
        load_run(tmp_path)
    # What is wrong is said before anything is made.
    made = tmp_path / "made"
    for flags, message in (
        (["--set=train.lr"], "must be written as SECTION.KEY=VALUE"),
        (["--set=model.depth=3"], "has no option 'depth'"),
        (["--set=posterior.prior=-1"], "'prior' must be positive"),
        (["--device=nowhere"], "'--device nowhere' cannot be used"),
        (["--device=meta"], "'--device meta' cannot be used"),
        (["--config=none.toml"], "cannot read the config"),
        (["--config=a.toml", "--model=kg2e"], "leave out '--model'"),
        (["--set=model.reciprocal=False"], "takes 'reciprocal' as"),
        (
            [
                "--set=model.variational=false",
                "--set=posterior.name=variational",
            ],
            "use a LaplacePosterior",
        ),
        (["--set=train.optimizer=sparse-adam"], "needs a model with sparse"),
    ):
        assert main(["train", "synthetic", "--out", str(made), *flags]) == 2
        assert message in capsys.readouterr().err
        assert not made.exists()


def test_command_line_prints_one_document(tmp_path, capsys):
    out = tmp_path / "run"
    args = ["train", "synthetic", "--model", "gaussian-complex", *FLAGS]
    args += ["--set=train.epochs=1", "--out", str(out)]
    assert main([*args, "--json"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert document["config"]["model"]["name"] == "gaussian-complex"
    assert document["validation"]["val/mrr"] > 0
    assert document["run"] == str(out)
    assert main([*args, "--resume"]) == 0
    assert "validation mrr" in capsys.readouterr().out


@pytest.mark.parametrize("model", MODELS)
def test_every_shipped_config_trains_to_the_end(tmp_path, capsys, model):
    args = ["train", "synthetic", "--model", model, *FLAGS, "--json"]
    args += ["--set=train.epochs=1", "--out", str(tmp_path / "run")]
    assert main(args) == 0
    assert json.loads(capsys.readouterr().out)["validation"]["val/mrr"] > 0
    # Standard output stays clean when TensorBoard finds its files there.
    assert main([*args, "--resume"]) == 0
    json.loads(capsys.readouterr().out)


def test_posterior_can_be_found_in_another_way(finished):
    out, run = finished
    config = run.config.override({"posterior.prior": 0.5})
    before = (out / "last.safetensors").read_bytes()
    again = train_run(
        load("synthetic"), config, out=out, resume=True, progress=False
    )
    assert again.record["prior_variance"] == 0.5
    assert torch.equal(again.model.node_emb.weight, run.model.node_emb.weight)
    assert (out / "last.safetensors").read_bytes() == before


def test_the_recipe_of_the_paper_trains(tmp_path, capsys):
    args = ["train", "synthetic", "--recipe", "paper", "--json"]
    args += ["--set=train.epochs=1", "--out", str(tmp_path / "run")]
    assert main(args) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["config"]["posterior"]["name"] == "variational"
    assert document["prior_variance"] == pytest.approx(1.0)


def test_a_name_is_enough_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    kg = load("synthetic")
    config = Config.find("synthetic", "kg2e").override(SET)
    monkeypatch.setattr(Config, "find", lambda *_, **__: config)
    run = train_run(kg, "kg2e", progress=False)
    assert list(tmp_path.iterdir()) == []
    assert run.record["dataset"] == "synthetic"
    # The folder changes nothing in the model.
    other = train_run(kg, "kg2e", out=tmp_path / "run", progress=False)
    for name, tensor in run.model.state_dict().items():
        assert torch.equal(tensor, other.model.state_dict()[name])


def test_the_config_is_that_of_the_graph(monkeypatch):
    asked = []

    def find(*args, **options):
        asked.append((*args, options["recipe"]))
        raise KeyboardInterrupt

    monkeypatch.setattr(Config, "find", find)
    kg = load("synthetic")
    nameless = kg.clone()
    del nameless.name
    for graph, dataset, recipe, expected in (
        (kg, None, None, "synthetic"),
        (kg, "wn18rr", "paper", "wn18rr"),
        (nameless, None, None, None),
    ):
        with pytest.raises(KeyboardInterrupt):
            train_run(graph, "kg2e", dataset=dataset, recipe=recipe)
        assert asked.pop() == (expected, "kg2e", recipe)


@pytest.mark.filterwarnings("error")
def test_options_that_exclude_each_other():
    kg, config = load("synthetic"), Config.find(None, "kg2e")
    with pytest.raises(InvalidInputError, match="'recipe' goes with the name"):
        train_run(kg, config, recipe="paper")
    with pytest.raises(InvalidInputError, match="'resume' needs the folder"):
        train_run(kg, config, resume=True)
    with pytest.raises(InvalidInputError, match="'model' must be one of"):
        train_run(kg, "distmult")
