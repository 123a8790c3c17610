"""The public surface is strict: no option is swallowed, none is a bare text."""

import importlib
import inspect
from pathlib import Path
from typing import get_origin

import pyg_cagp

PACKAGE = Path(pyg_cagp.__file__).parent

#: The packages whose surface is strict.
ROOMS = (
    "data",
    "datasets",
    "metrics",
    "nn.kge",
    "train",
    "transforms",
)

#: Callables that pass unknown options on, each with its reason.
PASS_ON = {}

#: Options that follow a call's subject without a name, as in PyG.
POSITIONAL = {
    "split",  # triples(kg, "test")
}

#: Options whose text is free: names, titles and paths of the user.
FREE_TEXT = {"dataset", "fingerprint", "name", "root", "out", "path", "folder"}


def listed():
    """Every public callable: functions, classes and their public methods."""
    for room in ROOMS:
        package = importlib.import_module(f"pyg_cagp.{room}")
        for name in getattr(package, "functions", []):
            yield f"{room}.{name}", getattr(package, name)
        for name in getattr(package, "classes", []):
            cls = getattr(package, name)
            yield f"{room}.{name}", cls
            for method, value in vars(cls).items():
                if isinstance(value, (classmethod, staticmethod)):
                    value = value.__func__
                if inspect.isfunction(value) and not method.startswith("_"):
                    yield f"{room}.{name}.{method}", value


CALLABLES = dict(listed())


def options(function):
    """The options of a callable: its parameters with defaults."""
    for name, entry in inspect.signature(function).parameters.items():
        if entry.default is not entry.empty:
            yield name, entry


def test_the_walk_meets_the_surface():
    assert len(CALLABLES) > 150
    assert "train.train_run" in CALLABLES
    assert "nn.kge.GaussianDistMult.score_tails" in CALLABLES


def test_a_misspelt_option_is_refused_everywhere():
    swallowed = {
        name
        for name, function in CALLABLES.items()
        for entry in inspect.signature(function).parameters.values()
        if entry.kind is entry.VAR_KEYWORD
    }
    assert swallowed == PASS_ON.keys()


def test_options_are_given_by_name():
    wrong = {
        f"{name}: {option}"
        for name, function in CALLABLES.items()
        for option, entry in options(function)
        if entry.kind is entry.POSITIONAL_OR_KEYWORD
        and option not in POSITIONAL
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_options_with_fixed_values_are_literals():
    wrong = {
        f"{name}: {option}"
        for name, function in CALLABLES.items()
        for option, entry in options(function)
        if isinstance(entry.default, str)
        and option not in FREE_TEXT
        and get_origin(entry.annotation) is None
    }
    assert not wrong, "\n".join(sorted(wrong))
