"""The golden run, and the command that compares it."""

import pytest
import torch

from benchmark.paper import golden
from pyg_cagp._utils.threads import one_blas_thread


@pytest.mark.slow
def test_the_golden_run_gives_the_stored_bits(tmp_path):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with one_blas_thread():
            result = golden.compare(golden.compute(tmp_path))
    finally:
        torch.set_num_threads(threads)
    assert result.count > 10_000
    if result.environment:
        pytest.skip(f"other environment: {result.environment}")
    assert result.different == []


def test_a_changed_value_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(golden, "FILE", tmp_path / "golden.json")
    golden.record({"a/b": {"/x": 1, "/y": (0.5).hex()}})
    same = golden.compare({"a/b": {"/renamed": 1, "/y": (0.5).hex()}})
    assert (same.different, same.environment, same.count) == ([], {}, 2)
    other = golden.compare({"a/b": {"/x": 2}, "c": {"/z": 3}})
    assert other.different == [
        "a/b/x: 1 -> 2",
        "a/b 1: 0x1.0000000000000p-1 -> None",
        "c/z: None -> 3",
    ]
