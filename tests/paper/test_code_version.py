"""Which changes of code make a result an old one."""

import ast
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pyg_cagp
from benchmark.paper import code_version as module

PACKAGE = Path(pyg_cagp.__file__).parent

# A package in which 'top' takes one name of 'part', which 'near' defines.
TINY = {
    "__init__.py": "",
    "top.py": '''"""Says what it does."""
from pyg_cagp.part import helper

LIMIT = 3


class Top:
    """Holds nothing."""


def run():
    """Runs."""
    from pyg_cagp.late import finish

    return helper() + finish("end")
''',
    "part/__init__.py": (
        "from pyg_cagp.part.near import helper\n"
        "from pyg_cagp.part.other import unused\n"
    ),
    "part/near.py": (
        "import pyg_cagp.deep\n\n\ndef helper():\n    return pyg_cagp.deep.X\n"
    ),
    "part/other.py": "def unused():\n    return 1\n",
    "deep.py": "X = 1\n",
    "late.py": "def finish(text):\n    return text\n",
    "alone.py": "Y = 1\n",
}
# Fields that are empty, None, or have come with later versions of Python.
CODE = """
import math as m
class Empty(dict): pass
async def f(a, /, b=None, *c, d: int = 1, **e) -> None:
    return {**a, "b": ...}, [x async for x in c if x], f"{d!r:>{b}s}"
def g(): return lambda: None, -1.5e3, b"x", u"y"
"""
SCRIPT = """
import sys
from benchmark.paper.code_version import code_version

print(*map(code_version, sys.argv[1:]))
"""


def versions(folder, *names):
    """Asks a process that sees nothing but the copy in a folder."""
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *names],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    package = folder / "pyg_cagp"
    for name, text in TINY.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    reproduce = package / "reproduce"
    reproduce.mkdir()
    (reproduce / "__init__.py").touch()
    shutil.copy(module.__file__, reproduce)
    return folder, versions(folder, "pyg_cagp.top")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("top.py", '"""Says what it does."""', '"""Says it\n\nbetter."""'),
        ("top.py", '"""Runs."""', '"""Runs fast."""'),
        ("top.py", '    """Runs."""\n', ""),
        ("top.py", '"""Holds nothing."""', "pass"),
        ("top.py", "LIMIT = 3", "# At most.\nLIMIT = (\n    3\n)  # Three."),
        ("deep.py", "X = 1", '"""Deep."""\n\nX = 1  # One.'),
        ("part/other.py", "return 1", "return 2"),
        ("part/__init__.py", "import unused", "import unused as spare"),
        ("alone.py", "Y = 1", "Y = 2"),
    ],
)
def test_what_a_module_does_is_still_the_same(tiny, tmp_path, name, old, new):
    shutil.copytree(tiny[0] / "pyg_cagp", tmp_path / "pyg_cagp")
    edit(tmp_path / "pyg_cagp" / name, old, new)
    assert versions(tmp_path, "pyg_cagp.top") == tiny[1]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("top.py", "LIMIT = 3", "LIMIT = 4"),
        ("top.py", '"end"', '"END"'),
        ("part/near.py", "pyg_cagp.deep.X", "-pyg_cagp.deep.X"),
        ("deep.py", "X = 1", "X = 2"),
        ("late.py", "return text", "return text * 2"),
        ("top.py", "pyg_cagp.part import", "pyg_cagp.part.near import"),
    ],
)
def test_what_a_module_does_is_another(tiny, tmp_path, name, old, new):
    shutil.copytree(tiny[0] / "pyg_cagp", tmp_path / "pyg_cagp")
    edit(tmp_path / "pyg_cagp" / name, old, new)
    assert versions(tmp_path, "pyg_cagp.top") != tiny[1]


def test_the_version_of_python_does_not_count():
    """This digest was the same with Python 3.11, 3.12 and 3.13."""
    tree = ast.parse(CODE)
    digest = hashlib.sha256(module._dump(tree).encode()).hexdigest()
    assert digest[:16] == "e0b31c3c7469c470"
    if sys.version_info[:2] == (3, 11):
        assert module._dump(tree) == ast.dump(tree)


def test_training_does_not_depend_on_estimators(tmp_path):
    names = "pyg_cagp.train.run", "benchmark.paper.rivals"
    before = list(map(module.code_version, names))
    shutil.copytree(PACKAGE, tmp_path / "pyg_cagp")
    estimator = tmp_path / "pyg_cagp" / "uncertainty" / "sngp.py"
    edit(estimator, "return ", "return 2 * ")
    train, rivals = versions(tmp_path, *names)
    assert train == before[0]
    assert rivals != before[1]
