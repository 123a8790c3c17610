"""The cost of imports and of the short commands, in seconds of CPU."""

import json
import subprocess
import sys

import pytest

import pyg_cagp
from tests.conftest import REPO

SCRIPT = """
import json, sys, time
import torch_geometric
there, began = set(sys.modules), time.process_time()
import {module}
seconds = time.process_time() - began
new = sorted({{name.split(".")[0] for name in set(sys.modules) - there}})
print(json.dumps([seconds, new]))
"""

#: Needed by some functions only, and slow to import.
HEAVY = {"matplotlib", "pandas", "pyarrow", "scipy", "sklearn", "tensorboard"}

COMMAND = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-m", "pyg_cagp", sys.argv[1]], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)
"""


def output(*command):
    return subprocess.run(
        [sys.executable, "-c", *command],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_a_short_command_takes_less_than_a_third_of_a_second(flag):
    # The least of a few, as the machine may be busy.
    seconds = [float(output(COMMAND, flag).splitlines()[-1]) for _ in range(3)]
    assert min(seconds) < 0.3


def test_the_package_adds_little_to_pyg():
    results = [json.loads(output(SCRIPT.format(module="pyg_cagp")))]
    results += [json.loads(output(SCRIPT.format(module="pyg_cagp")))]
    assert min(seconds for seconds, _ in results) < 0.1
    assert results[0][1] == ["pyg_cagp"]


@pytest.mark.parametrize("room", ["train", "evaluate", "inference"])
def test_no_room_imports_what_only_some_functions_need(room):
    _, new = json.loads(output(SCRIPT.format(module=f"pyg_cagp.{room}")))
    assert not HEAVY & set(new)


def test_every_listed_name_is_there():
    for name in pyg_cagp.__all__:
        assert name in dir(pyg_cagp)
        assert getattr(pyg_cagp, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Coverge'"):
        _ = pyg_cagp.Coverge
    with pytest.raises(ImportError, match="cannot import name 'Coverge'"):
        from pyg_cagp import Coverge  # noqa: F401
