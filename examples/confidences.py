r"""Models of confidence: UKGE and BEUrRE on triples that have one each.

    python examples/confidences.py
    python examples/confidences.py --dataset nl27k --epochs 30

On a generated graph, a triple is as confident as its relation is consistent.
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
        told = ", ".join(
            f"{name} {float(error.square().mean()):.4f}"
            for name, error in errors.items()
        )
        print(f"MSE on {split}: {told}")
    print(
        "Both take what they have not seen for false: a triple of test has to "
        "follow from others to be given its confidence."
    )


if __name__ == "__main__":
    main()
