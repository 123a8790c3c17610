r"""Sets of answers that hold the right answer in nine of ten queries.

    python examples/conformal_answers.py

This is guaranteed for queries that resemble those of validation. It need not
hold for emerging entities and novel contexts, so each kind is printed.
"""

import argparse

from pyg_cagp import evaluate
from pyg_cagp.datasets import load
from pyg_cagp.train import Config, train_run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default="synthetic")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--alpha", type=float, default=0.1)
    args = parser.parse_args()

    kg = load(args.dataset)
    config = Config.find(args.dataset, "gaussian-distmult")
    config = config.override({"train.epochs": args.epochs})
    model = train_run(kg, config).model
    result = evaluate.conformal(model, kg, alpha=args.alpha)
    for kind, figures in {"all": result, **result["by_kind"]}.items():
        print(
            f"{kind:10s} holds the answer {figures['coverage']:.3f} of the "
            f"time, with {figures['mean_size']:.0f} of {kg.num_nodes} entities"
        )


if __name__ == "__main__":
    main()
