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


def compare(folder, *options):
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(folder), *map(str, options)],
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


@pytest.mark.parametrize(
    ("used", "told"),
    [("AVX512", "(and 0 more), computed with AVX512\n"), ("AVX2", "more)\n")],
)
def test_other_instructions_are_a_reason(again, used, told):
    def edit(record):
        record.update(instructions=used, key="another")

    change(again / NAMES[1], edit)
    assert compare(again).stdout.endswith(told)


def test_a_folder_without_records(tmp_path):
    found = compare(tmp_path)
    assert found.returncode == 1
    assert "holds no records" in found.stderr


def test_several_runs_share_the_work(again):
    ledger = again.parent / "ledger.json"
    keys = {
        name: json.loads((RESULTS / name).read_text())["key"] for name in NAMES
    }
    # One record was found before, another one had other figures then.
    alpha = "wn18rr/alpha/0.json"
    keys[alpha] = json.loads((RESULTS / alpha).read_text())["key"]
    before = {"wn18rr/tau/0.json": "other", alpha: keys[alpha]}
    ledger.write_text(json.dumps(before))
    change(again / NAMES[1], lambda record: record["result"].update(new=1.0))
    found = compare(again, "--ledger", ledger)
    assert found.returncode == 1
    assert f"3 records of '{ledger}' were computed twice" in found.stdout
    assert json.loads(ledger.read_text()) == {
        name: keys[name] for name in (NAMES[0], NAMES[3], alpha)
    }


def test_a_ledger_in_no_folder(again):
    found = compare(again, "--ledger", again / "nowhere" / "ledger.json")
    assert found.returncode == 1
    assert found.stderr.endswith("is no folder to keep a ledger in\n")


def test_what_was_computed_twice_is_what_is_committed():
    ledger = json.loads((REPO / "benchmark/paper/repeated.json").read_text())
    for name, key in ledger.items():
        assert json.loads((RESULTS / name).read_text())["key"] == key
    text = " ".join((REPO / "README.md").read_text().split())
    assert f"{len(ledger)} of {ALL} records were computed twice" in text
