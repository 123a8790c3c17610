"""What goes wrong for users: one sentence, exit code 2, nothing changed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from tests.cli.test_cli import run
from tests.conftest import REPO
from tests.inference.graph import TEST, to_tsv


def snapshot(folder):
    """Every file with its content, and every folder."""
    return {
        path: path.read_bytes() if path.is_file() else None
        for path in Path(folder).rglob("*")
        # An update locks the state that it then finds to be damaged.
        if path.name != ".lock"
    }


@pytest.fixture
def place(own_run, tmp_path, monkeypatch):
    """A folder with a run, and with files that are good and bad."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new.tsv").write_text(to_tsv(TEST), encoding="utf-8")
    (tmp_path / "empty.tsv").touch()
    (tmp_path / "blank.tsv").write_text("\n\n")
    (tmp_path / "header.csv").write_text("head,relation,tail\n")
    (tmp_path / "bad.tsv").write_text("a\tb\tc\n" * 6 + "one\ttwo\n")
    (tmp_path / "folder.tsv").mkdir()
    (tmp_path / "file").write_text("x")
    return tmp_path


@pytest.fixture
def refused(place, capsys):
    def check(*args):
        before = snapshot(place)
        code, out, err = run(capsys, *args)
        assert (code, out) == (2, ""), args
        assert err.startswith("pyg-cagp: ")
        assert err.count("\n") == 1, err
        assert "Errno" not in err
        assert snapshot(place) == before
        return err

    return check


def readers(folder="run"):
    """The commands that read the inference state of a run."""
    return (
        ("score", folder, "new.tsv", "-o", "o.tsv"),
        ("predict", folder, "--head=null", "--relation=lies in"),
        ("update", folder, "new.tsv"),
    )


JUDGE = ("evaluate", "run", "--protocol", "ranking")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.tsv", "there is no file"),
        ("folder.tsv", "is not a file of triples"),
        ("file", "must end in one of"),
        ("empty.tsv", "holds no triple"),
        ("blank.tsv", "holds no triple"),
        ("header.csv", "holds no triple"),
        ("bad.tsv", "line 7: expected 3 columns"),
    ],
)
def test_triples(refused, name, message):
    assert message in refused("score", "run", name, "-o", "o.tsv")
    assert message in refused("update", "run", name)


@pytest.mark.parametrize("name", ["none", "folder.tsv", "new.tsv"])
def test_folders_that_are_no_runs(refused, name):
    for args in (*readers(name), ("evaluate", name, "--protocol", "ranking")):
        assert name in refused(*args)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("folder.tsv", "is a folder"),
        ("none/o.tsv", "cannot write to 'none'"),
        ("file/o.tsv", "cannot write to 'file'"),
        ("o.xlsx", "must end in one of"),
        ("", "is a folder"),
    ],
)
def test_outputs_of_score(refused, out, message):
    assert message in refused("score", "run", "new.tsv", "-o", out)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--out", "file"], "cannot make the folder 'file'"),
        (["--out", "file/x"], "cannot make the folder 'file/x'"),
        (["--out", "run"], "already holds a run"),
        (["--out", "x", "--by-time"], "needs a dated graph"),
        (["--out", "x", "--config", "folder.tsv"], "cannot read the config"),
        (["--out", "x", "--set", "train.epochs=0"], "(got 0)"),
        (["--out", "x", "--set", "train.epoch=1"], "has no option 'epoch'"),
        (["--out", "x", "--set", "epochs"], "SECTION.KEY=VALUE"),
    ],
)
@pytest.mark.filterwarnings("ignore::pyg_cagp.exceptions.CAGPWarning")
def test_training(refused, awkward_graph, args, message):
    assert message in refused("train", awkward_graph, *args)


def test_a_record_that_cannot_be_written(refused, place):
    (place / "run/evaluate-ranking.json").mkdir()
    assert "is a folder" in refused(*JUDGE)


def cut(path, size):
    path.write_bytes(path.read_bytes()[:size])


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 0xFF
    path.write_bytes(content)


def change_schema(path):
    with safe_open(path, "pt") as file:
        meta = json.loads(file.metadata()["pyg_cagp"])
        names = list(file.keys())
        tensors = {name: file.get_tensor(name) for name in names}
    header = json.dumps({**meta, "schema": 99})
    save_file(tensors, path, {"pyg_cagp": header})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: cut(path, 0), "is not a checkpoint"),
        (lambda path: cut(path, 100), "is not a checkpoint"),
        (lambda path: cut(path, -10), "is not a checkpoint"),
        (lambda path: flip(path, 0), "is not a checkpoint"),
        (lambda path: flip(path, 40), "is not a checkpoint"),
        (lambda path: flip(path, -5), "is damaged"),
        (
            lambda path: save_file({"weight": torch.ones(2)}, path),
            "is not a checkpoint of pyg_cagp (its header has no 'pyg_cagp')",
        ),
        (change_schema, "has schema 99, this version reads 1; upgrade"),
        (lambda path: path.unlink(), "model.safetensors"),
        (
            lambda path: shutil.copy(
                path.parent / "inference/000/known.safetensors", path
            ),
            "cannot be read as the model of a run (it lacks a seed, a config",
        ),
    ],
)
def test_damaged_models(refused, damage, message):
    damage(Path("run/model.safetensors"))
    for args in readers():
        assert message in refused(*args)
    assert message in refused(*JUDGE)


@pytest.mark.parametrize(
    "part", ["coverage", "cagp", "evidence", "known", "names"]
)
@pytest.mark.parametrize("where", [20, -3])
def test_one_wrong_byte_in_a_state(refused, part, where):
    (path,) = Path("run/inference/000").glob(f"{part}.*")
    flip(path, where)
    for args in readers():
        err = refused(*args)
        assert f"{path.name}' is damaged" in err
        assert "make it with" in err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "cannot be read"),
        (b"[]", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        ({"schema": "new"}, "cannot be read"),
        ({"schema": 99}, "upgrade pyg_cagp"),
        ({"version": "zero"}, "its 'version' cannot be 'zero'"),
        ({"version": 7}, "inference/007"),
        ({"model": 5}, "its 'model' cannot be 5"),
        ({"model": "none"}, "there is no 'run/none'"),
        ({"model": "../run/model.safetensors"}, "its 'model' cannot be"),
        ({"tau": "high"}, "its 'tau' cannot be"),
        ({"threshold": "x"}, "its 'threshold' cannot be"),
        ({"conformal": {"alpha": 0.1}}, "its 'conformal' cannot be"),
        ({"evidence": 3}, "its 'evidence' cannot be"),
        ({"updates": None}, "its 'updates' cannot be"),
    ],
)
def test_damaged_state(refused, content, message):
    path = Path("run/inference/inference.json")
    if isinstance(content, dict):
        content = {**json.loads(path.read_text()), **content}
        content = json.dumps(content).encode()
    path.write_bytes(content)
    for args in readers():
        assert message in refused(*args)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "cannot be read"),
        ({"entities": None}, "cannot be read"),
        ({"entities": list(range(40)), "relations": None}, "are no text"),
        ({"entities": ["a"], "relations": None}, "1 entities instead of 40"),
    ],
)
def test_names_without_a_checksum(refused, names, message):
    path = Path("run/inference/inference.json")
    document = json.loads(path.read_text())
    del document["crc32"]
    path.write_text(json.dumps(document))
    Path("run/inference/000/names.json").write_text(json.dumps(names))
    for args in readers():
        assert message in refused(*args)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (b"{", "cannot be read"),
        (b"[]", "cannot be read"),
        (b"{}", "cannot be read"),
        ({"graph": None}, "its 'graph' cannot be None"),
        ({"seed": "one"}, "its 'seed' cannot be 'one'"),
        ({"seconds": {"training": "1"}}, "its 'seconds' cannot be"),
        ({"config": {}}, "its 'config' differs"),
        ({"schema": 99}, "has schema 99, this version reads 1; upgrade"),
        ({"dataset": "/nowhere/to/be/found"}, "/nowhere/to/be/found"),
    ],
)
def test_damaged_records(refused, record, message):
    path = Path("run/run.json")
    if isinstance(record, dict):
        record = {**json.loads(path.read_text()), **record}
        record = json.dumps(record).encode()
    path.write_bytes(record)
    assert message in refused(*JUDGE)


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="only root can become somebody who may not write",
)
def test_folders_that_may_not_be_written_to(place):
    for path in [place, *place.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
    script = (
        "import sys; from pyg_cagp.cli import main\n"
        "import json; codes = [main(a) for a in json.loads(sys.argv[1])]\n"
        "sys.exit(codes != [2] * len(codes))"
    )
    # Folders above may be closed to others, so all are opened before.
    handle = os.open(place, os.O_RDONLY)
    commands = [*readers()[::2], JUDGE, ("train", "synthetic", "--out", "x")]
    before = snapshot(place)
    done = subprocess.run(
        [
            "setpriv",
            *nobody,
            sys.executable,
            "-c",
            script,
            json.dumps(commands),
        ],
        cwd=f"/proc/self/fd/{handle}",
        pass_fds=[handle],
        env={**os.environ, "PYTHONPATH": str(REPO)},
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(handle)
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip("others may not read this checkout")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == len(commands)
    assert snapshot(place) == before
