r"""What doubt costs on top of a forward pass.

    python benchmark/speed/serving.py [--out FILE]

Models of the shipped configs score 100 batches of 2,048 training triples, alone
and with the doubt about each. Each way takes all batches in a row, as a server
would that knows no other way, and ways take turns; both in random order. Costs
are median times less that of the model's own pass, as parts of it. Timed are

- a pass and the estimator after it ("estimator"),
- a pass and the reading by C++ after it ("pass, native doubt"),
- the whole call of :class:`~pyg_cagp.serving.ServedModel`, in which PyTorch
  reads ("served"), or C++ scores and reads ("native"), which may cost less than
  nothing,
- scores by C++ without doubts ("native scores"): what "native" takes beyond
  them is due to doubts.

Weights are not trained: time does not depend on them.
"""

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import torch
from timing import write_record

from pyg_cagp import CAGP, Coverage, StructuralUncertainty
from pyg_cagp.data import as_kg, split_edges
from pyg_cagp.datasets import load
from pyg_cagp.serving import ServedModel
from pyg_cagp.train import Config, build_model

HERE = Path(__file__).parent
BATCH, BATCHES = 2048, 100
MODELS = (
    ("fb15k-237", "gaussian-distmult"),
    ("fb15k-237", "gaussian-complex"),
    ("icews14", "gaussian-distmult"),
    ("wn18rr", "gaussian-complex"),
)


Task = Callable[..., Any]
Batches = list[tuple[torch.Tensor, ...]]


def costs(
    forward: Task, tasks: dict[str, Task], batches: Batches, rounds: int
) -> tuple[float, dict[str, float]]:
    """Returns the time of a forward pass, and what each task takes beyond it,
    as a part of it.
    """
    timed = {"forward": forward, **tasks}
    taken: dict[str, list[float]] = {name: [] for name in timed}
    names, batches = list(timed), list(batches)
    shuffle = random.Random(0).shuffle
    for _ in range(rounds):
        shuffle(names)  # None is always the one after the same other.
        for name in names:
            shuffle(batches)
            for batch in batches:
                start = time.perf_counter()
                timed[name](*batch)
                taken[name].append(time.perf_counter() - start)
    found = {name: median(seconds) for name, seconds in taken.items()}
    alone = found.pop("forward")
    return alone, {name: took / alone - 1 for name, took in found.items()}


def one_after_other(model: Task, doubt: Task) -> Task:
    """Returns what scores triples and then doubts them."""

    def both(*triples: torch.Tensor) -> Any:
        return model(*triples), doubt(*triples)

    return both


def measure(dataset: str, name: str, rounds: int, root: str | None) -> Any:
    """Returns what doubt costs with one model."""
    kg = as_kg(load(dataset, root))
    coverage = Coverage.from_data(kg)
    config = Config.find(dataset, name)
    model = build_model(config.model, kg.num_nodes, kg.num_relations).eval()
    tasks: dict[str, Task] = {}
    sizes = {}
    for kind, doubt in {
        "structural": StructuralUncertainty(coverage),
        "cagp": CAGP(model, coverage).fit(kg),
    }.items():
        served = ServedModel(model, doubt)
        native = ServedModel(model, doubt, native=True)
        ways = {
            "estimator": one_after_other(model, doubt),
            "pass, native doubt": one_after_other(model, native.doubt),
            "served": served,
            "native": native,
        }
        tasks |= {f"{way}: {kind}": task for way, task in ways.items()}
        sizes[f"served: {kind}"] = _bytes(served)
        sizes[f"native: {kind}"] = _bytes(native)
    (head, tail), rel = split_edges(kg, "train")
    generator = torch.Generator().manual_seed(0)
    batches: Batches = []
    for _ in range(BATCHES):
        drawn = torch.randint(head.numel(), (BATCH,), generator=generator)
        batches.append((head[drawn], rel[drawn], tail[drawn]))

    tasks["native scores"] = native.score
    with torch.no_grad():
        seconds, found = costs(model, tasks, batches, rounds)
    for kind in ("structural", "cagp"):
        share = found[f"native: {kind}"] - found["native scores"]
        found[f"native, doubts: {kind}"] = share
    return {
        "channels": model.node_emb.embedding_dim,
        "forward_seconds": seconds,
        "cost": found,
        "bytes": sizes,
    }


def _bytes(served: ServedModel) -> int:
    if served.native_table is None:
        return served.pair.nbytes
    parts = (part for part in served.native_table[:3] if part is not None)
    return sum({part.data_ptr(): part.nbytes for part in parts}.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--root")
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "serving.json"
    )
    args = parser.parse_args()
    record: dict[str, Any] = {
        "batch": BATCH,
        "batches": BATCHES,
        "rounds": args.rounds,
    }
    for dataset, name in MODELS:
        found = measure(dataset, name, args.rounds, args.root)
        took = 1e6 * found["forward_seconds"]
        print(f"{dataset}, {name}: {took:.0f} us a pass")
        for task, cost in found["cost"].items():
            print(f"  {task}: {100 * cost:.1f} %")
        record[f"{dataset}, {name}"] = found
    write_record(record, args.out)


if __name__ == "__main__":
    main()
