"""Records that were computed twice are compared."""

import json
import shutil
import subprocess
import sys

import pytest

from tests.conftest import REPO

SCRIPT = REPO / "benchmark/paper/compare_records.py"
RESULTS = REPO / "benchmark/paper/results"
ALL = len(list(RESULTS.rglob("*.json")))
NAMES = (
    "wn18rr/graph.json",
    "wn18rr/leak/0.json",
    "wn18rr/cost/0.json",
    "wn18rr/scores/evidence/0.json",
)


@pytest.fixture
def again(tmp_path):
    for name in NAMES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(RESULTS / name, path)
    return tmp_path


def compare(folder):
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )


def change(path, edit):
    record = json.loads(path.read_text())
    edit(record)
    path.write_text(json.dumps(record))


def test_times_and_addresses_may_differ(again):
    change(again / NAMES[1], lambda record: record.update(seconds=1e9))
    change(
        again / NAMES[3],
        lambda record: record["result"].update(
            estimator=record["result"]["estimator"].replace("0x7f", "0x6e"),
            seconds={},
        ),
    )
    change(again / NAMES[2], lambda record: record.update(result={}))
    found = compare(again)
    assert f"3 of {ALL} records are the same, 0 differ, 1" in found.stdout
    assert f"{ALL - 4} are not there" in found.stdout
    assert found.returncode == 0


@pytest.mark.parametrize("part", ["key", "result"])
def test_figures_and_keys_may_not(again, part):
    def edit(record):
        if part == "key":
            record["key"] = "another"
        else:
            record["result"]["new"] = [1.0]

    change(again / NAMES[1], edit)
    found = compare(again)
    assert f"2 of {ALL} records are the same, 1 differ" in found.stdout
    place = {"key": "/key", "result": "/result/new/0"}[part]
    assert f"wn18rr/leak/0.json: {place} (and 0 more)" in found.stdout
    assert found.returncode == 1


def test_a_folder_without_records(tmp_path):
    found = compare(tmp_path)
    assert found.returncode == 1
    assert "holds no records" in found.stderr
