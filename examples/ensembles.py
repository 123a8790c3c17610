r"""Uncertainty from several models: a deep ensemble, and dropout at test time.

python examples/ensembles.py --members 5
"""

import argparse

from pyg_cagp import evaluate
from pyg_cagp.datasets import load
from pyg_cagp.train import Config, train_ensemble, train_run
from pyg_cagp.uncertainty.baselines import DeepEnsemble, MCDropout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default="synthetic")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--members", type=int, default=3)
    args = parser.parse_args()

    kg = load(args.dataset)
    config = Config.find(args.dataset, "gaussian-distmult").override(
        {"train.epochs": args.epochs, "model.variational": False}
    )
    members = train_ensemble(kg, config, num_members=args.members)
    dropped = train_run(kg, config.override({"model.dropout": 0.2}))
    models = [member.model for member in members]
    estimators = {
        "ensemble, disagreement": DeepEnsemble(models),
        "ensemble, mean": DeepEnsemble(models, measure="mean"),
        "dropout, variance": MCDropout(dropped.model),
        "dropout, mean": MCDropout(dropped.model, measure="mean"),
    }
    result = evaluate.ood(estimators, kg, protocol="standard")
    for name, rows in result["methods"].items():
        print(f"{name:24s} AUROC {rows['overall']['auroc']:.3f}")
    print(
        "All members give a random triple a low probability: their mean "
        "detects it, their disagreement does not."
    )


if __name__ == "__main__":
    main()
