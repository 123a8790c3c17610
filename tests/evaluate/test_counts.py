"""Evaluations check a graph once and build its coverage once."""

import sys
from collections import Counter

import pytest

from pyg_cagp import Coverage, GaussianDistMult, evaluate
from pyg_cagp.data import kg_digest
from pyg_cagp.data.kg import check_kg
from pyg_cagp.datasets import load
from pyg_cagp.inference import prepare
from pyg_cagp.inference.evaluation import evaluate_run
from pyg_cagp.protocols import PROTOCOLS, Protocol
from pyg_cagp.report import write_report
from tests.loops import for_each

pytestmark = pytest.mark.filterwarnings(
    "ignore::pyg_cagp.exceptions.CAGPWarning"
)


@pytest.fixture
def calls(monkeypatch):
    """Counts calls of functions in all modules that import them."""
    counted = Counter()

    def counting(function):
        def call(*args, **kwargs):
            counted[function.__name__] += 1
            return function(*args, **kwargs)

        return call

    for function in (check_kg, kg_digest):
        for name, module in list(sys.modules.items()):
            if name.startswith("pyg_cagp"):
                for key, value in list(vars(module).items()):
                    if value is function:
                        monkeypatch.setattr(module, key, counting(function))
    from_edges = counting(Coverage.from_edges.__func__)
    monkeypatch.setattr(Coverage, "from_edges", classmethod(from_edges))
    monkeypatch.setattr(Protocol, "_label", counting(Protocol._label))
    return counted


@pytest.fixture(scope="module")
def kg():
    return load("synthetic")


@pytest.fixture(scope="module")
def model(kg):
    return GaussianDistMult(kg.num_nodes, kg.num_relations, 4)


ONCE = {"check_kg": 1, "from_edges": 1, "kg_digest": 1}


@for_each("protocol", sorted(PROTOCOLS.keys() - {"timestamp"}))
def test_calls_of_ood(kg, calls, protocol):
    calls.clear()
    evaluate.ood({"tail": lambda h, r, t: t}, kg, protocol=protocol)
    assert calls == {**ONCE, "_label": 2}


def test_calls_of_other_evaluations(kg, model, calls):
    evaluate.ranking(model, kg)
    assert calls == ONCE
    calls.clear()
    evaluate.conformal(model, kg)
    assert calls == {**ONCE, "_label": 2}
    calls.clear()
    tail = {"tail": lambda h, r, t: t}
    evaluate.error_ranking(model, tail, kg, num_resamples=9)
    assert calls == {"check_kg": 1, "kg_digest": 1}


@for_each("protocol", ["ranking", "comprehensive", "conformal"])
def test_calls_of_evaluate_run(own_run, calls, protocol):
    calls.clear()
    evaluate_run(own_run, protocol)
    assert calls["check_kg"] <= 2
    assert calls["from_edges"] == calls["kg_digest"] == 1
    assert calls["_label"] <= 2


def test_calls_of_write_report(own_run, calls):
    report = write_report(own_run)
    assert calls["check_kg"] <= 2
    assert calls["from_edges"] == calls["kg_digest"] == 1
    # Each protocol labels validation and test, once.
    assert calls["_label"] == 2 * len(report["detection"])


def test_calls_of_prepare(own_run, kg, model, calls):
    prepare(own_run, kg, model)
    assert calls == {**ONCE, "_label": 2}
