"""The cost of imports and of the short commands, in seconds of CPU."""

import json
import subprocess
import sys

import pytest

import pyg_cagp
from tests.conftest import REPO
from tests.loops import for_each

SCRIPT = """
import json, sys, time
import torch_geometric
before, began = set(sys.modules), time.process_time()
import {modules}
seconds = time.process_time() - began
new = sorted({{name.split(".")[0] for name in set(sys.modules) - before}})
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


@for_each("flag", ["--version", "--help"])
def test_short_commands_take_less_than_a_third_of_a_second(flag):
    # The minimum, as the machine may be busy.
    seconds = [float(output(COMMAND, flag).splitlines()[-1]) for _ in range(3)]
    assert min(seconds) < 0.3


def test_package_adds_little_to_the_import_of_pyg():
    script = SCRIPT.format(modules="pyg_cagp")
    results = [json.loads(output(script)) for _ in range(2)]
    assert min(seconds for seconds, _ in results) < 0.1
    assert results[0][1] == ["pyg_cagp"]


def test_heavy_packages_are_imported_lazily():
    rooms = ("train", "evaluate", "inference")
    modules = ", ".join(f"pyg_cagp.{room}" for room in rooms)
    _, new = json.loads(output(SCRIPT.format(modules=modules)))
    assert not HEAVY & set(new)


def test_listed_names_exist_and_others_raise():
    for name in pyg_cagp.__all__:
        assert name in dir(pyg_cagp)
        assert getattr(pyg_cagp, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Coverge'"):
        _ = pyg_cagp.Coverge
    with pytest.raises(ImportError, match="cannot import name 'Coverge'"):
        from pyg_cagp import Coverge  # noqa: F401
