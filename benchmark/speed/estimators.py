r"""The time of an estimator as a ratio to that of a forward pass.

    taskset -c 0 python benchmark/speed/estimators.py [--out FILE]

Triples, coverage and sizes are those of FB15k-237. Times themselves mean
little; the ratios, taken in one run on an idle machine, do.
"""

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from pyg_cagp import (
    CAGP,
    Coverage,
    EvidenceUncertainty,
    GaussianDistMult,
    SemanticUncertainty,
    StructuralUncertainty,
)
from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.nn.posterior import VariationalPosterior
from pyg_cagp.nn.scoring import softmax_terms

NUM_TRIPLES, NUM_REPEATS, NUM_CALLS = 2048, 5, 200

#: The largest ratio that is allowed.
LIMITS = {"structural": 0.35, "semantic": 0.20, "cagp": 0.60}


def seconds(call: Callable[[], Any], num_calls: int) -> float:
    r"""Returns the mean time of a call."""
    start = time.perf_counter()
    for _ in range(num_calls):
        call()
    return (time.perf_counter() - start) / num_calls


def measure(root: str | None) -> dict[str, Any]:
    r"""Returns the median, the smallest and the largest ratio of each
    estimator, each repeat of which is divided by a forward pass beside it.
    """
    torch.manual_seed(0)
    torch.set_num_threads(1)
    kg = load("fb15k-237", root)
    coverage, train = Coverage.from_data(kg), triples(kg, "train")
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 100)
    model.requires_grad_(False)
    model.set_posterior(VariationalPosterior().fit(model, *train))
    batch = [part[:NUM_TRIPLES].clone() for part in triples(kg, "test")]
    evidence = EvidenceUncertainty(coverage, model).fit(kg, protocol="standard")
    terms = softmax_terms(model, *batch)
    calls = {
        "structural": (StructuralUncertainty(coverage), NUM_CALLS),
        "semantic": (SemanticUncertainty(model), NUM_CALLS),
        "cagp": (CAGP(model, coverage).fit(kg), NUM_CALLS),
        "evidence, given terms": (
            lambda *batch: evidence(*batch, terms=terms),
            NUM_CALLS // 10,
        ),
    }
    ratios: dict[str, Any] = {}
    for name, (estimator, num_calls) in calls.items():
        found = []
        for _ in range(NUM_REPEATS + 1):
            plain = seconds(lambda: model(*batch), num_calls)
            found.append(
                seconds(lambda e=estimator: e(*batch), num_calls) / plain
            )
        found = found[1:]  # The first one makes tables.
        ratios[name] = {
            "median": round(statistics.median(found), 3),
            "smallest": round(min(found), 3),
            "largest": round(max(found), 3),
            "limit": LIMITS.get(name),
        }
    return ratios


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).parent / "results" / "estimators.json"
    parser.add_argument("--root", default=None, help="folder of datasets")
    parser.add_argument("--out", type=Path, default=default)
    args = parser.parse_args()
    record = {
        "num_triples": NUM_TRIPLES,
        "ratios": measure(args.root),
        "torch": torch.__version__,
        "processor": platform.processor() or platform.machine(),
    }
    args.out.write_text(json.dumps(record, indent=2) + "\n")
    print(json.dumps(record["ratios"], indent=2))


if __name__ == "__main__":
    main()
