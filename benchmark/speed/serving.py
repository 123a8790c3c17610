r"""What doubt costs on top of a forward pass.

    python benchmark/speed/serving.py [--out FILE]

Models of the shipped configs score 100 batches of 2,048 training triples, alone
and with the doubt about each, block by block in turn, as one server would that
does not doubt and one that does. Costs are medians over blocks of the ratio of
two times, one right after the other: of the estimators, which check what they
are given; of the whole call of :class:`~pyg_cagp.serving.ServedModel` less one
forward pass, with a table that PyTorch reads ("served") and one that C++ reads
("native"); and of the reading alone ("table", "native table"). Weights are not
trained, as time does not depend on them.
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


def costs(
    forward: Callable[..., Any],
    tasks: dict[str, Callable[..., Any]],
    batches: list[tuple[torch.Tensor, ...]],
    blocks: int,
) -> tuple[float, dict[str, float]]:
    """Returns the time of a forward pass, and that of each task as a part."""
    found: dict[str, list[float]] = {name: [] for name in tasks}
    passes = []
    order = list(tasks)
    shuffle = random.Random(0).shuffle
    for _ in range(blocks):
        shuffle(order)  # None is always the one after the same other.
        for name in order:
            alone = _seconds(forward, batches)
            passes.append(alone)
            found[name].append(_seconds(tasks[name], batches) / alone)
    return median(passes), {name: median(v) for name, v in found.items()}


def _seconds(
    task: Callable[..., Any], batches: list[tuple[torch.Tensor, ...]]
) -> float:
    taken = []
    for batch in batches:
        start = time.perf_counter()
        task(*batch)
        taken.append(time.perf_counter() - start)
    return median(taken)


def measure(dataset: str, name: str, blocks: int, root: str | None) -> Any:
    """Returns what doubt costs with one model."""
    kg = as_kg(load(dataset, root))
    coverage = Coverage.from_data(kg)
    config = Config.find(dataset, name)
    model = build_model(config.model, kg.num_nodes, kg.num_relations)
    structural = StructuralUncertainty(coverage)
    cagp = CAGP(model, coverage).fit(kg)
    estimators = {"structural": structural, "cagp": cagp}
    served = {
        f"{way}: {name}": ServedModel(model, doubt, native=way == "native")
        for way in ("served", "native")
        for name, doubt in estimators.items()
    }
    (head, tail), rel = split_edges(kg, "train")
    generator = torch.Generator().manual_seed(0)
    batches = []
    for _ in range(BATCHES):
        drawn = torch.randint(head.numel(), (BATCH,), generator=generator)
        batches.append((head[drawn], rel[drawn], tail[drawn]))

    with torch.no_grad():
        seconds, found = costs(
            model,
            {
                **{f"estimator: {k}": v for k, v in estimators.items()},
                **{
                    f"table: {k}": served[f"served: {k}"]._doubt
                    for k in estimators
                },
                **{
                    f"native table: {k}": served[f"native: {k}"]._read
                    for k in estimators
                },
                **served,
            },
            batches,
            blocks,
        )
    found = {
        key: value - 1 if key in served else value
        for key, value in found.items()
    }
    return {
        "channels": model.node_emb.embedding_dim,
        "forward_seconds": seconds,
        "cost": found,
        "bytes": {key: _bytes(m) for key, m in served.items()},
    }


def _bytes(served: ServedModel) -> int:
    if served.native_table is None:
        return served.pair.nbytes
    tensors = served.native_table[:3]
    return sum(part.nbytes for part in tensors if part is not None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--blocks", type=int, default=15)
    parser.add_argument("--root")
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "serving.json"
    )
    args = parser.parse_args()
    record: dict[str, Any] = {
        "batch": BATCH,
        "batches": BATCHES,
        "blocks": args.blocks,
    }
    for dataset, name in MODELS:
        found = measure(dataset, name, args.blocks, args.root)
        took = 1e6 * found["forward_seconds"]
        print(f"{dataset}, {name}: {took:.0f} us a pass")
        for task, cost in found["cost"].items():
            print(f"  {task}: {100 * cost:.1f} %")
        record[f"{dataset}, {name}"] = found
    write_record(record, args.out)


if __name__ == "__main__":
    main()
