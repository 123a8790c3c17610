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
from pyg_cagp.inference import InferenceTable
from pyg_cagp.nn.posterior import VariationalPosterior
from pyg_cagp.nn.scoring import softmax_terms

NUM_TRIPLES, NUM_REPEATS = 2048, 5

#: The alternating blocks of a repeat, and the calls of a block.
NUM_BLOCKS, NUM_CALLS = 40, 10

#: The largest ratio that is allowed.
LIMITS = {
    "structural": 0.35,
    "semantic": 0.20,
    "cagp": 0.60,
    "inference table": 0.25,
}


def seconds(call: Callable[..., Any], batch: list[torch.Tensor]) -> float:
    r"""Returns the time of a block of calls."""
    start = time.perf_counter()
    for _ in range(NUM_CALLS):
        call(*batch)
    return time.perf_counter() - start


def ratio(
    call: Callable[..., Any],
    plain: Callable[..., Any],
    batch: list[torch.Tensor],
) -> float:
    r"""Returns the ratio of the fastest blocks, which alternate."""
    times = [
        (seconds(call, batch), seconds(plain, batch)) for _ in range(NUM_BLOCKS)
    ]
    first, second = zip(*times, strict=True)
    return min(first) / min(second)


def measure(root: str | None) -> dict[str, Any]:
    r"""Returns the median, the smallest and the largest ratio of each
    estimator, each repeat of which is divided by a forward pass beside it.
    """
    torch.manual_seed(0)
    torch.set_num_threads(1)
    kg = load("fb15k-237", root=root)
    coverage, train = Coverage.from_data(kg), triples(kg, "train")
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 100)
    model.requires_grad_(False)
    model.set_posterior(VariationalPosterior().fit(model, *train))
    batch = [part[:NUM_TRIPLES].clone() for part in triples(kg, "test")]
    evidence = EvidenceUncertainty(coverage, model).fit(kg, protocol="standard")
    terms = softmax_terms(model, *batch)
    cagp = CAGP(model, coverage).fit(kg)
    calls = {
        "structural": StructuralUncertainty(coverage),
        "semantic": SemanticUncertainty(model),
        "cagp": cagp,
        "inference table": InferenceTable(cagp).uncertainty,
        "evidence, given terms": lambda *batch: evidence(*batch, terms=terms),
    }
    ratios: dict[str, Any] = {}
    for name, estimator in calls.items():
        estimator(*batch)  # Tables are made once.
        repeats = [ratio(estimator, model, batch) for _ in range(NUM_REPEATS)]
        ratios[name] = {
            "median": round(statistics.median(repeats), 3),
            "smallest": round(min(repeats), 3),
            "largest": round(max(repeats), 3),
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
