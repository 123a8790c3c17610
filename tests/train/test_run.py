"""Runs: killed, resumed, loaded, and shown by TensorBoard."""

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
from pyg_cagp.data import as_kg
from pyg_cagp.datasets import SyntheticKG, load
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
from tests.loops import for_each

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

# Half of the fifth checkpoint is written, and then the process is killed.
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

# The process is killed at the eighteenth step.
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
    out = tmp_path_factory.mktemp("run") / "finished"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYG_CAGP_CACHE", str(out.parent / "cache"))
        kg = load("synthetic")
    config = Config.find("synthetic", "gaussian-distmult").override(SET)
    return out, train_run(
        kg, config, out=out, dataset="synthetic", progress=False
    )


def weights(out):
    return (out / "model.safetensors").read_bytes()


@pytest.mark.slow
@for_each(
    ("name", "script"),
    [("epoch", KILLED_IN_MID_EPOCH), ("checkpoint", KILLED_IN_MID_CHECKPOINT)],
)
def test_a_killed_and_resumed_run_is_bit_identical(
    finished, tmp_path, name, script
):
    out = tmp_path / name
    args = ["train", "synthetic", "--out", str(out), *FLAGS]
    killed = subprocess.run([sys.executable, "-c", script, *args], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert (out / "last.safetensors").exists()
    assert not (out / "run.json").exists()
    with pytest.raises(CheckpointError, match="--resume"):
        load_run(out)
    assert main(args) == 2  # It does not overwrite a run.
    assert main([*args, "--resume"]) == 0
    assert weights(out) == weights(finished[0])
    assert not list(out.glob(".*"))
    first, second = (
        json.loads((folder / "run.json").read_text())
        for folder in (finished[0], out)
    )
    assert first["progress"] == second["progress"]
    assert first["validation"] == second["validation"]


def test_a_run_killed_at_any_time_can_be_resumed(finished, tmp_path):
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


def test_load_run_equals_the_trained_run(finished):
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
    # Entities without training triples keep the prior variance.
    unseen = run.model.node_freq == 0
    prior = torch.tensor(run.record["prior_variance"])
    if unseen.any():
        got = again.model.mean_variance(every)[unseen]
        torch.testing.assert_close(got, prior.expand_as(got))
    assert (again.model.mean_variance(every)[~unseen] < prior).all()


def test_trained_variances_are_stored_beside_the_posterior(finished):
    out, run = finished
    again = load_run(out).model
    assert again.posterior.key == run.model.posterior.key
    assert again.posterior.prior_variance == run.record["prior_variance"]
    tensors, _ = load_checkpoint(out / "last.safetensors")
    for name, tensor in again.state_dict().items():
        assert torch.equal(tensor, tensors[f"best.{name}"]), name
    again.set_posterior(None)
    assert again.posterior.key != run.model.posterior.key


@for_each(
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
def test_a_malformed_posterior_in_a_file_raises(
    finished, tmp_path, name, change
):
    path = finished[0] / "model.safetensors"
    tensors, meta = load_checkpoint(path)
    del meta["crc32"]
    tensors[f"posterior.{name}"] = change(tensors.get(f"posterior.{name}"))
    tensors = {k: v for k, v in tensors.items() if v is not None}
    save_checkpoint(tmp_path / path.name, tensors, meta)
    with pytest.raises(CheckpointError, match="safetensors"):
        load_model(tmp_path / path.name)


def test_tensorboard_events_of_a_run(finished):
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
    # By the fitted posterior, rare entities have larger variances.
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


@pytest.mark.slow
@for_each("epoch", [1, 2])
def test_resumed_runs_log_each_epoch_once(tmp_path, epoch):
    """Killed after an epoch was logged and before its checkpoint."""
    out = tmp_path / str(epoch)
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


def test_bad_input_raises(finished, tmp_path, capsys):
    out, _ = finished
    kg = load("synthetic")
    config = Config.find("synthetic", "gaussian-distmult").override(SET)
    with pytest.raises(InvalidInputError, match="already"):
        train_run(kg, config, out=out)
    events = sorted(out.glob("events*"))
    other = kg.clone()
    other.edge_type = (other.edge_type + 1) % kg.num_relations
    for graph, changed, seed in (
        (kg, config, 1),
        (kg, config.override({"train.lr": 0.2}), 0),
        (other, config, 0),
    ):
        with pytest.raises(CheckpointError, match="another run"):
            train_run(graph, changed, out=out, seed=seed, resume=True)
    assert sorted(out.glob("events*")) == events
    with pytest.raises(CheckpointError, match="no finished run"):
        load_run(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(CheckpointError, match="cannot be read"):
        load_run(tmp_path)
    # Bad input is reported before the folder is made.
    folder = tmp_path / "folder"
    for flags, message in (
        (["--set=train.lr"], "SECTION.KEY=VALUE"),
        (["--set=model.depth=3"], "'depth'"),
        (["--set=posterior.prior=-1"], "'prior'"),
        (["--device=nowhere"], "'--device nowhere'"),
        (["--device=meta"], "'--device meta'"),
        (["--config=none.toml"], "none.toml"),
        (["--config=a.toml", "--model=kg2e"], "'--model'"),
        (["--set=model.reciprocal=False"], "'reciprocal'"),
        (
            [
                "--set=model.variational=false",
                "--set=posterior.name=variational",
            ],
            "LaplacePosterior",
        ),
        (["--set=train.optimizer=sparse-adam"], "sparse"),
    ):
        assert main(["train", "synthetic", "--out", str(folder), *flags]) == 2
        assert message in capsys.readouterr().err
        assert not folder.exists()


@pytest.mark.filterwarnings("ignore::pyg_cagp.exceptions.CAGPWarning")
@for_each("model", MODELS)
def test_train_command_prints_one_json_document(
    awkward_graph, tmp_path, capsys, model
):
    out = tmp_path / model
    args = ["train", str(awkward_graph), "--model", model, *FLAGS]
    args += ["--set=train.epochs=1", "--out", str(out)]
    assert main([*args, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["config"]["model"]["name"] == model
    assert document["validation"]["val/mrr"] > 0
    assert document["run"] == str(out)
    # TensorBoard prints nothing about files of the first run.
    assert main([*args, "--resume", "--json"]) == 0
    json.loads(capsys.readouterr().out)
    assert main([*args, "--resume"]) == 0
    assert "validation mrr" in capsys.readouterr().out


def test_resume_with_another_posterior_refits_it(finished):
    out, run = finished
    config = run.config.override({"posterior.prior": 0.5})
    before = (out / "last.safetensors").read_bytes()
    again = train_run(
        load("synthetic"), config, out=out, resume=True, progress=False
    )
    assert again.record["prior_variance"] == 0.5
    assert torch.equal(again.model.node_emb.weight, run.model.node_emb.weight)
    assert (out / "last.safetensors").read_bytes() == before


@pytest.mark.filterwarnings("ignore::pyg_cagp.exceptions.CAGPWarning")
def test_recipe_of_the_paper_trains(awkward_graph, tmp_path, capsys):
    args = ["train", str(awkward_graph), "--recipe", "paper", "--json"]
    args += ["--set=train.epochs=1", "--out", str(tmp_path / "run")]
    assert main(args) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["config"]["posterior"]["name"] == "variational"
    assert document["prior_variance"] == pytest.approx(1.0)


def test_train_run_without_out_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    kg = load("synthetic")
    config = Config.find("synthetic", "kg2e").override(SET)
    monkeypatch.setattr(Config, "resolve", lambda *_, **__: config)
    run = train_run(kg, "kg2e", progress=False)
    assert list(tmp_path.iterdir()) == []
    assert run.record["dataset"] == "synthetic"
    # With a folder, the model is the same.
    other = train_run(kg, "kg2e", out=tmp_path / "run", progress=False)
    for name, tensor in run.model.state_dict().items():
        assert torch.equal(tensor, other.model.state_dict()[name])


@pytest.mark.parametrize(
    ("name", "dataset", "recipe", "source"),
    [
        ("synthetic", None, None, "the shipped config of 'kg2e' for 'syn"),
        ("synthetic", "WN18RR", None, "the shipped config of 'kg2e' for 'wn1"),
        ("synthetic", None, "paper", "the recipe 'paper'"),
        ("mine", None, None, "no config ships for 'mine'; chosen by size (9"),
        (None, None, None, "no config ships for this graph; chosen by size (9"),
    ],
)
def test_the_config_is_that_of_the_graph(
    monkeypatch, capsys, name, dataset, recipe, source
):
    kg = as_kg(SyntheticKG(num_nodes=90, num_triples=400))
    kg.name = name
    find, given = Config.resolve, {"model.hidden_channels": 4}
    monkeypatch.setattr(
        Config,
        "resolve",
        lambda *args, **options: find(*args, **options).override(
            {**given, "train.epochs": 1}
        ),
    )
    for progress in (True, False):
        run = train_run(
            kg, "kg2e", dataset=dataset, recipe=recipe, progress=progress
        )
        assert run.record["config_source"].startswith(source)
        assert run.config.model["hidden_channels"] == 4
        printed = capsys.readouterr().err
        assert (f"pyg-cagp: {source}" in printed) == progress


@pytest.mark.filterwarnings("error")
def test_options_that_exclude_each_other():
    kg, config = load("synthetic"), Config.find("synthetic", "kg2e")
    with pytest.raises(InvalidInputError, match="'recipe' needs the name"):
        train_run(kg, config, recipe="paper")
    with pytest.raises(InvalidInputError, match="'resume'"):
        train_run(kg, config, resume=True)
    with pytest.raises(InvalidInputError, match="'model'"):
        train_run(kg, "distmult")
