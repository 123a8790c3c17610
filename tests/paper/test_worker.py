"""Processes that compute cells for another one."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from tests.conftest import REPO

COMPUTE = """
import sys
from benchmark.paper import Store, Workshop, run_cells
from benchmark.paper.cell import Cell
from tests.reproduce.test_worker import wait_for_long

if __name__ == "__main__":
    out, data = sys.argv[1:]
    cells = [Cell(name, wait_for_long, "synthetic") for name in ("a", "b")]
    run_cells(cells, Store(out), Workshop(out, data), 2, progress=False)
"""


def wait_for_long(workshop, dataset):
    workshop.path(f"{os.getpid()}.began").touch()
    time.sleep(600)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
def test_none_is_left_behind(tmp_path, how):
    process = subprocess.Popen(
        [sys.executable, "-c", COMPUTE, str(tmp_path), str(tmp_path / "data")],
        cwd=REPO,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 300
        while len(list(tmp_path.glob("*.began"))) < 2:
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        process.send_signal(getattr(signal, how))
        # Its output ends when the last process that can write to it has.
        process.communicate(timeout=60)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def test_each_has_its_share_of_threads_for_good():
    code = """
import torch
from threadpoolctl import threadpool_info
from benchmark.paper.worker import begin
begin(1)
blas = [lib for lib in threadpool_info() if lib["user_api"] == "blas"]
assert blas and all(lib["num_threads"] == 1 for lib in blas), blas
assert torch.get_num_threads() == 1
"""
    more = {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    env = {**os.environ, **more}
    subprocess.run([sys.executable, "-c", code], check=True, env=env)
