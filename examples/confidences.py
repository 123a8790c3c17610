r"""Models of the confidence of triples: UKGE and BEUrRE.

    python examples/confidences.py
    python examples/confidences.py --dataset nl27k --epochs 30

The generated graph gets a random confidence for each relation.
"""

import argparse

import torch

from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.nn.kge import UKGE, BEUrRE
from pyg_cagp.uncertainty.baselines import BEUrREUncertainty, UKGEUncertainty


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default="synthetic")
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()

    kg = load(args.dataset)
    if "edge_confidence" not in kg:
        drawn = torch.rand(kg.num_relations, generator=torch.Generator())
        kg.edge_confidence = drawn[kg.edge_type]
    sizes = kg.num_nodes, kg.num_relations
    estimators = {
        "UKGE": UKGEUncertainty(UKGE(*sizes), epochs=args.epochs),
        "BEUrRE": BEUrREUncertainty(BEUrRE(*sizes), epochs=args.epochs),
    }
    for estimator in estimators.values():
        estimator.fit(kg)
    mean = kg.edge_confidence[kg.train_mask].mean()
    for split in ("train", "test"):
        head, rel, tail = triples(kg, split)
        target = kg.edge_confidence[kg[f"{split}_mask"]]
        errors = {"mean of train": mean - target}
        for name, estimator in estimators.items():
            errors[name] = estimator.confidence(head, rel, tail) - target
        listed = ", ".join(
            f"{name} {float(error.square().mean()):.4f}"
            for name, error in errors.items()
        )
        print(f"MSE on {split}: {listed}")
    print(
        "Both models learn a confidence of 0 for corrupted triples, and often "
        "give it to test triples, too."
    )


if __name__ == "__main__":
    main()
