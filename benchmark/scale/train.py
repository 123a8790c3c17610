r"""Time and memory of training at the size of YAGO3-10, on a generated graph.

    python benchmark/scale/train.py [--model gaussian-complex] [--out FILE]

Trains with the config that ships for YAGO3-10 for a few steps, ranks a few
queries, and extrapolates to an epoch and a posterior. The graph
has YAGO3-10's numbers of entities, relations and triples and no more in common
with it.
"""

import argparse
import json
import resource
import time
from pathlib import Path

import torch
from torch_geometric.data import Data

from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.nn.posterior import ggn_diagonal
from pyg_cagp.nn.scoring import rank_counts
from pyg_cagp.train import Config, Trainer, build_model, build_objective

HERE = Path(__file__).parent
NODES, RELATIONS, TRIPLES = 123_182, 37, 1_079_040


def peak() -> float:
    """Peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def graph() -> Data:
    chunks = list(SyntheticKG.stream(NODES, RELATIONS, TRIPLES))
    edge_index = torch.cat([chunk.edge_index for chunk in chunks], dim=1)
    mask = torch.ones(edge_index.size(1), dtype=torch.bool)
    return Data(
        edge_index=edge_index,
        edge_type=torch.cat([chunk.edge_type for chunk in chunks]),
        train_mask=mask,
        val_mask=~mask,
        test_mask=~mask,
        num_nodes=NODES,
        num_relations=RELATIONS,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default="gaussian-complex")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "train.json"
    )
    args = parser.parse_args()
    kg = graph()
    base = peak()
    config = Config.find("yago3-10", args.model)
    objective = build_objective(config.objective, kg)
    model = build_model(config.model, NODES, RELATIONS, objective=objective)
    trainer = Trainer(model, kg, options=config.train, progress=False)
    batches = iter(trainer.batches)
    trainer._train_on(next(batches), model.kl_weight)
    start = time.perf_counter()
    for _ in range(args.steps):
        trainer._train_on(next(batches), model.kl_weight)
    step = (time.perf_counter() - start) / args.steps
    after_training = peak()
    start = time.perf_counter()
    num_queries = 200
    (head, tail), rel = kg.edge_index, kg.edge_type
    rank_counts(model, *(x[:num_queries] for x in (head, rel, tail)))
    query = (time.perf_counter() - start) / (2 * num_queries)
    start = time.perf_counter()
    num = 20_000
    ggn_diagonal(
        model,
        head[:num],
        rel[:num],
        tail[:num],
        num_negatives=config.posterior.num_negatives or None,
    )
    triple = (time.perf_counter() - start) / num
    record = {
        "model": args.model,
        "num_nodes": NODES,
        "num_relations": RELATIONS,
        "num_triples": TRIPLES,
        "config": config.to_dict(),
        "seconds": {
            "a step": step,
            "an epoch, from steps": step * len(trainer.batches),
            "ranking 10,000 queries, from a few": 10_000 * query,
            "a posterior, from a few triples": triple * TRIPLES,
        },
        "peak_mib": {
            "graph": base,
            "training": after_training,
            "ranking and posterior": peak(),
        },
        "threads": torch.get_num_threads(),
    }
    for section in ("seconds", "peak_mib"):
        print(section)
        for name, value in record[section].items():
            print(f"    {name:36s} {value:10.3f}")
    args.out.write_text(json.dumps(record, indent=2) + "\n")
    print(f"written to {args.out}")


if __name__ == "__main__":
    main()
