"""Imports, sizes and listed names of the package.

The picture of the docs shows which folder may import which.
"""

import ast
import importlib
import inspect
from pathlib import Path
from xml.etree import ElementTree

import pyg_cagp
from pyg_cagp import evaluate, metrics, theory

PACKAGE = Path(pyg_cagp.__file__).parent
TEXTS = {
    path: path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}
TREES = {path: ast.parse(text) for path, text in TEXTS.items()}
PICTURE = PACKAGE.parent / "docs" / "images" / "arrows.svg"
#: The modules that stand for a room of another name.
ROOMS = {"__init__": "pyg_cagp", "__main__": "cli"}


def rooms():
    """For each room of the picture, the rooms that it may import."""
    picture = ElementTree.parse(PICTURE)
    allowed = {
        text.text: set()
        for text in picture.iterfind(".//{*}text")
        if " " not in text.text
    }
    base = {}
    for arrow in picture.iter():
        source, target = arrow.get("data-from"), arrow.get("data-to")
        if target == "*":
            base[source] = arrow.get("data-but").split()
        elif target is not None:
            allowed[target].add(source)
    for _ in allowed:  # An arrow is transitive.
        for room in allowed.values():
            room.update(*(allowed[other] for other in room))
    allowed |= {name: set() for name in base}
    for source, but in base.items():
        for name in allowed.keys() - {source, *but}:
            allowed[name].add(source)
    return allowed


def room_of(path):
    name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return ROOMS.get(name, name)


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import of {node.module}"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_picture_names_all_folders():
    assert rooms().keys() == {room_of(path) for path in TREES}


def test_imports_follow_the_picture():
    allowed = rooms()
    wrong = set()
    for path, tree in TREES.items():
        room = room_of(path)
        for name in imported(tree):
            root, _, rest = name.partition(".")
            if root in ("benchmark", "docs", "examples", "tests"):
                wrong.add(f"{path}: {name}")
            if root != "pyg_cagp":
                continue
            other = rest.partition(".")[0]
            other = other if other in allowed else "pyg_cagp"
            if other not in allowed[room] | {room}:
                wrong.add(f"{path}: {room} must not import {other}")
    assert not wrong, "\n".join(sorted(wrong))


def test_files_have_at_most_400_lines():
    num_lines = {p: len(text.splitlines()) for p, text in TEXTS.items()}
    too_long = [f"{path}: {n}" for path, n in num_lines.items() if n > 400]
    assert not too_long, "\n".join(too_long)


def test_listed_names_exist_and_are_documented():
    num_listed = 0
    for path in TREES:
        if path.name != "__init__.py":
            continue
        name = ".".join(path.relative_to(PACKAGE.parent).parent.parts)
        module = importlib.import_module(name)
        listed = [
            *getattr(module, "classes", []),
            *getattr(module, "functions", []),
        ]
        public = getattr(module, "__all__", [])
        assert set(listed) <= set(public), name
        assert len(set(public)) == len(public), name
        assert all(hasattr(module, item) for item in public), name
        assert all(getattr(module, item).__doc__ for item in listed), name
        num_listed += len(listed)
    assert num_listed > 100


def test_public_functions_have_an_example():
    functions = {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in (metrics, evaluate, theory)
        for name in module.functions
    }
    without = [
        name
        for name, function in functions.items()
        if ">>> " not in inspect.getdoc(function)
    ]
    assert len(functions) > 40
    assert not without, "\n".join(without)


def test_no_pickle_is_loaded():
    loading = [
        str(path)
        for path, text in TEXTS.items()
        if "pickle.load" in text or "torch.load(" in text
    ]
    assert not loading, "\n".join(loading)


def test_function_bodies_have_at_most_50_lines():
    too_long = []
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                body = node.body[ast.get_docstring(node) is not None :]
                lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
                if lines > 50:
                    too_long.append(f"{path}: {node.name} has {lines} lines")
    assert not too_long, "\n".join(too_long)
