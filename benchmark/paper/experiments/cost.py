r"""The cost of uncertainty, measured with no other experiment."""

import time
from collections.abc import Callable
from typing import Any

import torch

from benchmark.paper.setting import Setting
from pyg_cagp.data import triples
from pyg_cagp.uncertainty import CAGP, StructuralUncertainty


def cost(
    setting: Setting, batch_size: int = 2048, rounds: int = 30
) -> dict[str, Any]:
    r"""Time on top of a forward pass, and memory on top of a model."""
    coverage, model = setting.coverage, setting.model
    structural = StructuralUncertainty(coverage)
    cagp = CAGP(model, coverage).fit(setting.kg)
    head, rel, tail = triples(setting.kg, "train")
    batch = head[:batch_size], rel[:batch_size], tail[:batch_size]
    times = _interleaved(
        {
            "score of all tails": lambda: model.score_tails(*batch[:2]),
            "forward": lambda: model(*batch),
            "structural": lambda: structural(*batch),
            "cagp": lambda: cagp(*batch),
        },
        rounds,
    )
    tails = times["score of all tails"]
    weights = sum(p.nbytes for p in model.state_dict().values())
    return {
        "batch": int(batch[0].numel()),
        "seconds": times,
        "structural / forward": times["structural"] / times["forward"],
        "structural / all tails": times["structural"] / tails,
        "cagp / all tails": times["cagp"] / tails,
        "bytes": {"model": weights, "coverage": coverage.nbytes},
    }


@torch.no_grad()
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
