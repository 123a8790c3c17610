"""Every public function of what judges has an example, which pytest runs."""

import inspect

import pytest

from pyg_cagp import evaluate, metrics, theory

FUNCTIONS = [
    pytest.param(getattr(module, name), id=f"{module.__name__}.{name}")
    for module in (metrics, evaluate, theory)
    for name in module.functions
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_has_an_example(function):
    assert ">>> " in inspect.getdoc(function)
