"""Errors of commands: one sentence, exit code 2, no file changed."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from tests.cli.test_cli import run
from tests.conftest import REPO
from tests.inference.graph import TEST, to_tsv
from tests.loops import for_each


def snapshot(folder):
    """Every file with its content, and every folder."""
    return {
        path: path.read_bytes() if path.is_file() else None
        for path in Path(folder).rglob("*")
        # An update locks a state before it reads it.
        if path.name != ".lock"
    }


@pytest.fixture
def place(own_run, tmp_path, monkeypatch):
    """A folder with a run, and with good and bad files of triples."""
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


EVALUATE = ("evaluate", "run", "--protocol", "ranking")


@for_each(
    ("name", "message"),
    [
        ("none.tsv", "there is no file"),
        ("folder.tsv", "folder.tsv"),
        ("file", "must end in"),
        ("empty.tsv", "holds no triple"),
        ("blank.tsv", "holds no triple"),
        ("header.csv", "holds no triple"),
        ("bad.tsv", "line 7: expected 3 columns"),
    ],
)
def test_bad_files_of_triples(refused, name, message):
    assert message in refused("score", "run", name, "-o", "o.tsv")
    assert message in refused("update", "run", name)


@for_each("name", ["none", "folder.tsv", "new.tsv"])
def test_folders_without_a_run(refused, name):
    for args in (*readers(name), ("evaluate", name, "--protocol", "ranking")):
        assert name in refused(*args)


@for_each(
    ("out", "message"),
    [
        ("folder.tsv", "is a folder"),
        ("none/o.tsv", "cannot write to 'none'"),
        ("file/o.tsv", "cannot write to 'file'"),
        ("o.xlsx", "must end in"),
        ("", "is a folder"),
    ],
)
def test_bad_outputs_of_score(refused, out, message):
    assert message in refused("score", "run", "new.tsv", "-o", out)


@for_each(
    ("args", "message"),
    [
        (["--out", "file"], "'file'"),
        (["--out", "file/x"], "'file/x'"),
        (["--out", "run"], "already holds a run"),
        (["--out", "x", "--by-time"], "dated"),
        (["--out", "x", "--config", "folder.tsv"], "folder.tsv"),
        (["--out", "x", "--set", "train.epochs=0"], "(got 0)"),
        (["--out", "x", "--set", "train.epoch=1"], "'epoch'"),
        (["--out", "x", "--set", "epochs"], "SECTION.KEY=VALUE"),
    ],
)
@pytest.mark.filterwarnings("ignore::pyg_cagp.exceptions.CAGPWarning")
def test_bad_options_of_train(refused, awkward_graph, args, message):
    assert message in refused("train", awkward_graph, *args)


def test_a_result_that_cannot_be_written(refused, place):
    (place / "run/evaluate-ranking.json").mkdir()
    assert "is a folder" in refused(*EVALUATE)


@contextmanager
def restored(path):
    """Restores a file that a test damages."""
    content = path.read_bytes()
    try:
        yield path
    finally:
        path.write_bytes(content)


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


@for_each(
    ("damage", "message"),
    [
        (lambda path: cut(path, 0), "not a checkpoint"),
        (lambda path: cut(path, 100), "not a checkpoint"),
        (lambda path: cut(path, -10), "not a checkpoint"),
        (lambda path: flip(path, 0), "not a checkpoint"),
        (lambda path: flip(path, 40), "not a checkpoint"),
        (lambda path: flip(path, -5), "is damaged"),
        (
            lambda path: save_file({"weight": torch.ones(2)}, path),
            "header has no 'pyg_cagp'",
        ),
        (change_schema, "schema 99"),
        (lambda path: path.unlink(), "model.safetensors"),
        (
            lambda path: shutil.copy(
                path.parent / "inference/000/known.safetensors", path
            ),
            "cannot be read as the model of a run",
        ),
    ],
)
def test_damaged_models(refused, damage, message):
    with restored(Path("run/model.safetensors")) as path:
        damage(path)
        for args in (*readers(), EVALUATE):
            assert message in refused(*args)


@for_each(
    ("part", "where"),
    product(["coverage", "cagp", "evidence", "known", "names"], [20, -3]),
)
def test_changed_bytes_of_the_state(refused, part, where):
    (path,) = Path("run/inference/000").glob(f"{part}.*")
    with restored(path):
        flip(path, where)
        for args in readers():
            assert f"{path.name}' is damaged" in refused(*args)


@for_each(
    ("content", "message"),
    [
        (b"{", "cannot be read"),
        (b"[]", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        ({"schema": "new"}, "cannot be read"),
        ({"schema": 99}, "upgrade"),
        ({"version": "zero"}, "'version'"),
        ({"version": 7}, "inference/007"),
        ({"model": 5}, "'model'"),
        ({"model": "none"}, "there is no 'run/none'"),
        ({"model": "../run/model.safetensors"}, "'model'"),
        ({"tau": "high"}, "'tau'"),
        ({"threshold": "x"}, "'threshold'"),
        ({"conformal": {"alpha": 0.1}}, "'conformal'"),
        ({"evidence": 3}, "'evidence'"),
        ({"updates": None}, "'updates'"),
    ],
)
def test_damaged_inference_json(refused, content, message):
    path = Path("run/inference/inference.json")
    if isinstance(content, dict):
        content = {**json.loads(path.read_text()), **content}
        content = json.dumps(content).encode()
    with restored(path):
        path.write_bytes(content)
        for args in readers():
            assert message in refused(*args)


@for_each(
    ("names", "message"),
    [
        ([], "cannot be read"),
        ({"entities": None}, "cannot be read"),
        ({"entities": list(range(40)), "relations": None}, "are not text"),
        ({"entities": ["a"], "relations": None}, "1 entities instead of 40"),
    ],
)
def test_damaged_names_without_a_checksum(refused, names, message):
    path = Path("run/inference/inference.json")
    document = json.loads(path.read_text())
    del document["crc32"]
    with restored(path), restored(path.parent / "000/names.json") as file:
        path.write_text(json.dumps(document))
        file.write_text(json.dumps(names))
        for args in readers():
            assert message in refused(*args)


@for_each(
    ("record", "message"),
    [
        (b"{", "cannot be read"),
        (b"[]", "cannot be read"),
        (b"{}", "cannot be read"),
        ({"graph": None}, "'graph'"),
        ({"seed": "one"}, "'seed'"),
        ({"seconds": {"training": "1"}}, "'seconds'"),
        ({"config": {}}, "its 'config' differs"),
        ({"schema": 99}, "schema 99"),
        ({"dataset": "/nowhere/to/be/found"}, "/nowhere/to/be/found"),
    ],
)
def test_damaged_records(refused, record, message):
    path = Path("run/run.json")
    if isinstance(record, dict):
        record = {**json.loads(path.read_text()), **record}
        record = json.dumps(record).encode()
    with restored(path):
        path.write_bytes(record)
        assert message in refused(*EVALUATE)


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="only root can act as another user",
)
def test_read_only_folders(place):
    for path in [place, *place.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    other_user = ["--reuid=65534", "--regid=65534", "--clear-groups"]
    script = (
        "import sys; from pyg_cagp.cli import main\n"
        "import json; codes = [main(a) for a in json.loads(sys.argv[1])]\n"
        "sys.exit(codes != [2] * len(codes))"
    )
    # Another user may not enter the folders above, so this is open already.
    handle = os.open(place, os.O_RDONLY)
    commands = [*readers()[::2], EVALUATE, ("train", "synthetic", "--out", "x")]
    before = snapshot(place)
    done = subprocess.run(
        [
            "setpriv",
            *other_user,
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
