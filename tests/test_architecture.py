"""Imports follow the arrows of the picture in the docs."""

import ast
import importlib
from pathlib import Path
from xml.etree import ElementTree

import pyg_cagp

PACKAGE = Path(pyg_cagp.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
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


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_the_rooms_are_the_folders():
    assert rooms().keys() == {room_of(path) for path in SOURCES}


def test_imports_follow_the_arrows():
    allowed = rooms()
    wrong = set()
    for path in SOURCES:
        room = room_of(path)
        for name in imported(path):
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
    for path in SOURCES:
        num_lines = len(path.read_text(encoding="utf-8").splitlines())
        assert num_lines <= 400, path


def test_listed_names_exist():
    num_listed = 0
    for path in SOURCES:
        if path.name != "__init__.py":
            continue
        name = ".".join(path.relative_to(PACKAGE.parent).parent.parts)
        module = importlib.import_module(name)
        listed = [
            *getattr(module, "classes", []),
            *getattr(module, "functions", []),
        ]
        assert set(listed) <= set(getattr(module, "__all__", [])), name
        assert all(getattr(module, item).__doc__ for item in listed), name
        num_listed += len(listed)
    assert num_listed > 100


def test_no_pickle_is_loaded():
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        assert "pickle.load" not in text
        assert "torch.load(" not in text


def test_function_bodies_have_at_most_50_lines():
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                body = node.body[ast.get_docstring(node) is not None :]
                lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
                assert lines <= 50, f"{path}: {node.name} has {lines} lines"
