"""The search for a config, and training on graphs without a shipped one."""

import json

import pytest

from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.train import Config
from tests.cli.test_cli import run


@pytest.fixture
def triples(tmp_path, monkeypatch):
    """A file of triples without splits."""
    monkeypatch.chdir(tmp_path)
    kg = SyntheticKG(num_nodes=60, num_triples=400)[0]
    columns = kg.edge_index[0], kg.edge_type, kg.edge_index[1]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    lines = (f"n{h}\tr{r}\tn{t}\n" for h, r, t in rows)
    (tmp_path / "mine.tsv").write_text("".join(lines))
    return "mine.tsv"


def test_tune_then_train(triples, tmp_path, capsys):
    args = "tune", triples, "--minutes", 0.02, "--model", "gaussian-complex"
    code, out, err = run(capsys, *args)
    assert (code, err) == (0, "")
    assert "now: pyg-cagp train mine.tsv --config tuned.toml" in out
    code, out, err = run(capsys, *args, "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert document["best"] in document["trials"]
    config = Config.from_file("tuned.toml")
    assert document["config"] == json.loads(json.dumps(config.to_dict()))
    code, out, err = run(
        capsys,
        *("train", triples, "--config", "tuned.toml", "--set=train.epochs=1"),
    )
    assert code == 0
    assert "the config in 'tuned.toml', train.epochs=1" in err
    assert "gaussian-complex" in out
    assert "validation log_loss" in out
    state = tmp_path / "tuned.trials.json"
    state.write_text(state.read_text().replace('"seed": 0', '"seed": 1'))
    code, out, err = run(capsys, *args)
    assert (code, out) == (2, "")
    assert "belongs to another search" in err


def test_train_states_the_config_it_chose(triples, capsys):
    changes = "--set=train.epochs=1", "--set=model.hidden_channels=4"
    code, out, err = run(capsys, "train", triples, *changes, "--out=a")
    assert code == 0
    line = next(line for line in err.splitlines() if "no config ships" in line)
    assert line.startswith(
        "pyg-cagp: no config ships for 'mine.tsv'; chosen by size ("
    )
    assert line.endswith("train.epochs=1, model.hidden_channels=4")
    code, out, err = run(
        capsys, "train", triples, *changes, "--out=b", "--json"
    )
    assert (code, err) == (0, "")
    assert f"pyg-cagp: {json.loads(out)['config_source']}" == line


def test_bad_input_is_one_sentence(triples, tmp_path, capsys):
    (tmp_path / "bad.toml").write_text(
        "[model]\nname = 'kg2e'\n[train]\nrate = 1"
    )
    (tmp_path / "full.toml").write_text("mine")
    no_val = tmp_path / "no val"
    no_val.mkdir()
    for name, lines in (("train", "a\tr\tb\nb\tr\tc\n"), ("test", "a\tr\tc\n")):
        (no_val / f"{name}.tsv").write_text(lines)
    for args, message in (
        (("tune", triples, "--minutes", 0), "'minutes' must be positive"),
        (("tune", triples, "--out", "full.toml"), "already exists; choose"),
        (("tune", triples, "--out", "no val"), "is a folder; name the file"),
        (("tune", no_val), "too few triples"),
        (("train", triples, "--config", "bad.toml"), "no option 'rate'"),
        (
            ("train", triples, "--set", "train.lr=1e30", "--out=c"),
            "lower 'lr'",
        ),
    ):
        code, out, err = run(capsys, *args)
        assert (code, out) == (2, "")
        *_, last = err.splitlines()
        assert message in last
    assert not (tmp_path / "tuned.toml").exists()
