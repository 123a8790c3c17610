r"""What doubt costs. Measured with nothing else running."""

import time
from collections.abc import Callable
from typing import Any

import torch

from benchmark.paper.workshop import Workshop
from pyg_cagp.data import split_edges
from pyg_cagp.uncertainty import CAGP, StructuralUncertainty


def cost(
    workshop: Workshop,
    dataset: str,
    backbone: str,
    seed: int,
    changes: dict[str, Any],
    batch_size: int = 2048,
    rounds: int = 30,
) -> dict[str, Any]:
    r"""Time on top of a forward pass, and memory on top of a model."""
    kg, coverage = workshop.kg(dataset), workshop.coverage(dataset)
    model = workshop.model(dataset, backbone, seed, changes).model
    structural = StructuralUncertainty(coverage)
    cagp = CAGP(model, coverage).fit(kg)
    (head, tail), rel = split_edges(kg, "train")
    batch = head[:batch_size], rel[:batch_size], tail[:batch_size]
    query = head[:batch_size], rel[:batch_size]

    @torch.no_grad()
    def ranked() -> Any:
        return model.score_tails(*query)

    @torch.no_grad()
    def forward() -> Any:
        return model(*batch)

    times = _interleaved(
        {
            "score of all tails": ranked,
            "forward": forward,
            "structural": lambda: structural(*batch),
            "cagp": lambda: cagp(*batch),
        },
        rounds,
    )
    weights = sum(p.nbytes for p in model.state_dict().values())
    return {
        "batch": int(batch[0].numel()),
        "seconds": times,
        "structural / forward": times["structural"] / times["forward"],
        "structural / all tails": times["structural"]
        / times["score of all tails"],
        "cagp / all tails": times["cagp"] / times["score of all tails"],
        "bytes": {"model": weights, "coverage": coverage.nbytes},
    }


def _interleaved(
    tasks: dict[str, Callable[[], Any]], rounds: int
) -> dict[str, float]:
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(rounds):
        for name, task in tasks.items():
            began = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - began)
    return best
