r"""How long training takes to a given filtered test MRR on FB15k-237.

    python benchmark/models/time_to_mrr.py [--target 0.30] [--out FILE]

GaussianDistMult with 100 channels and a short schedule. Only training counts;
test triples, both sides, are ranked after every epoch with the clock stopped,
and nothing is decided by them but when to stop. Run it on a machine that does
nothing else.
"""

import argparse
import json
import time
from pathlib import Path

import torch
from accuracy import ranking
from tqdm import tqdm

from pyg_cagp.datasets import load
from pyg_cagp.train import (
    Config,
    Trainer,
    build_model,
    build_objective,
)

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--target", type=float, default=0.30)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--root")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out", type=Path, default=HERE / "results" / "time_to_mrr.json"
    )
    args = parser.parse_args()
    kg = load("fb15k-237", root=args.root)
    config = Config.find("fb15k-237", "gaussian-distmult").override(
        {
            "train.epochs": args.epochs,
            "train.eval_triples": 1,  # The last epoch must be validated.
            "train.eval_every": args.epochs + 1,
            "train.batch_size": 1024,
            "objective.num_negatives": 512,
        }
    )
    model = build_model(
        config.model,
        kg.num_nodes,
        kg.num_relations,
        objective=build_objective(config.objective, kg),
        seed=args.seed,
    )
    trainer = Trainer(
        model, kg, options=config.train, seed=args.seed, progress=False
    )
    seconds, history = 0.0, []
    bar, full_weight = tqdm(total=0, disable=True), model.kl_weight
    while not trainer.finished():
        start = time.perf_counter()
        trainer._epoch(bar, full_weight)
        seconds += time.perf_counter() - start
        mrr = ranking(model, kg)["mrr"]
        history.append({"seconds": seconds, "test mrr": mrr})
        print(f"epoch {len(history):2d} {seconds:7.1f} s  MRR {mrr:.4f}")
        if mrr >= args.target:
            break
    record = {
        "target": args.target,
        "reached": history[-1]["test mrr"] >= args.target,
        "seconds": seconds,
        "history": history,
        "config": config.to_dict(),
        "threads": torch.get_num_threads(),
    }
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(record, indent=2) + "\n")
    print(f"written to {args.out}")


if __name__ == "__main__":
    main()
