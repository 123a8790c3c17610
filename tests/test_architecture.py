"""The shape of the package: who may import whom, and how long files are."""

import ast
import importlib
from pathlib import Path

import pytest

import pyg_cagp

PACKAGE = Path(pyg_cagp.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))

# What each part may see. The way of the data is the way of the folders.
BASE = {"_utils", "typing", "exceptions"}
ALLOWED = {
    "typing": set(),
    "exceptions": set(),
    "_utils": {"exceptions", "typing"},
    "data": BASE,
    "datasets": BASE | {"data"},
    "coverage": BASE | {"data"},
    "transforms": BASE | {"data", "coverage"},
    "metrics": {"_utils", "exceptions"},
    "nn": BASE | {"data"},
    "train": BASE | {"data", "nn", "metrics"},
    "uncertainty": BASE | {"data", "coverage", "transforms", "nn", "metrics"},
    "theory": BASE | {"data", "coverage", "metrics"},
    "evaluate": BASE
    | {
        "data",
        "coverage",
        "transforms",
        "metrics",
        "theory",
        "uncertainty",
        "nn",
    },
}
ALLOWED["serving"] = ALLOWED["uncertainty"] | {"uncertainty"}
OUTSIDE = {"advice", "cli", "report", "reproduce", "__init__", "__main__"}


def part_of(path):
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imported_parts(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("pyg_cagp."):
                yield name.split(".")[1]


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_imports_follow_the_arrows(path):
    part = part_of(path)
    if part in OUTSIDE:
        return
    wrong = set(imported_parts(path)) - ALLOWED[part] - {part}
    assert not wrong, f"{part} must not import {wrong}"


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_files_fit_in_a_head(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


@pytest.mark.parametrize(
    "name",
    [
        "data",
        "datasets",
        "coverage",
        "transforms",
        "nn.kge",
        "nn.posterior",
        "train",
        "evaluate",
        "advice",
        "report",
    ],
)
def test_listed_names_exist(name):
    module = importlib.import_module(f"pyg_cagp.{name}")
    listed = [
        *getattr(module, "classes", []),
        *getattr(module, "functions", []),
    ]
    assert listed
    assert sorted(module.__all__) == sorted(listed)
    for item in listed:
        assert getattr(module, item).__doc__


def test_no_pickle_is_loaded():
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        assert "pickle.load" not in text
        assert "torch.load(" not in text
