r"""Uncertainty that increases with the distance from the data: SNGP, and a
Graph Posterior Network.

    python examples/distance_aware.py
"""

import argparse

from pyg_cagp import evaluate
from pyg_cagp.datasets import load
from pyg_cagp.nn.kge import SNGPModel
from pyg_cagp.train import Config, train_run
from pyg_cagp.uncertainty.baselines import (
    SNGP,
    GraphPosteriorNetwork,
    RelationConditionedVariance,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default="synthetic")
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()

    kg = load(args.dataset)
    config = Config.find(args.dataset, "gaussian-distmult")
    config = config.override({"train.epochs": args.epochs})
    model = train_run(kg, config).model
    network = SNGPModel(kg.num_nodes, kg.num_relations, num_features=256)
    estimators = {
        "SNGP": SNGP(network, epochs=args.epochs),
        "GPN": GraphPosteriorNetwork(model, epochs=10 * args.epochs),
        "variance by relation": RelationConditionedVariance(
            model, epochs=args.epochs
        ),
    }
    for estimator in estimators.values():
        estimator.fit(kg)
    result = evaluate.ood(estimators, kg, protocol="temporal-like")
    for name, rows in result["methods"].items():
        print(
            f"{name:22s} emerging {rows['emerging']['auroc']:.3f}, "
            f"novel {rows['novel']['auroc']:.3f}"
        )


if __name__ == "__main__":
    main()
