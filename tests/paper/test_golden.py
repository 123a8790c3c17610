"""The golden run, and the command that compares it."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.paper import golden

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_golden_run_equals_the_stored_values():
    answer = subprocess.run(
        [sys.executable, "-m", "benchmark.paper", "verify"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "other environment" in answer.stdout:
        pytest.skip(answer.stdout.splitlines()[-1])
    assert answer.returncode == 0, answer.stdout
    differ, _, count, *_ = answer.stdout.split()
    assert int(differ) == 0
    assert int(count) > 10_000


def test_compare_names_changed_values(monkeypatch, tmp_path):
    monkeypatch.setattr(golden, "FOLDER", tmp_path)
    golden.record({"a/b": {"/x": 1, "/y": (0.5).hex()}})
    same = golden.compare({"a/b": {"/renamed": 1, "/y": (0.5).hex()}})
    assert (same.different, same.environment, same.count) == ([], {}, 2)
    other = golden.compare({"a/b": {"/x": 2}, "c": {"/z": 3}})
    assert other.different == [
        "a/b/x: 1 -> 2",
        "a/b 1: 0x1.0000000000000p-1 -> None",
        "c/z: None -> 3",
    ]
