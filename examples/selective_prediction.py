r"""Selective prediction: accuracy at several shares of answered queries.

python examples/selective_prediction.py
python examples/selective_prediction.py --dataset fb15k-237 --epochs 30
"""

import argparse

from pyg_cagp import Coverage, evaluate
from pyg_cagp.datasets import load
from pyg_cagp.train import Config, train_run
from pyg_cagp.uncertainty import EvidenceUncertainty, StructuralUncertainty


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dataset", default="synthetic")
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()

    kg = load(args.dataset)
    config = Config.find(args.dataset, "gaussian-distmult")
    config = config.override({"train.epochs": args.epochs})
    model = train_run(kg, config).model
    coverage = Coverage.from_data(kg)
    # Fitted to the wrong answers of the model on validation.
    val = evaluate.predictions(model, kg, split="val")
    learned = EvidenceUncertainty(coverage, model)
    learned.fit_labelled(val.head, val.rel, val.tail, val.error)
    estimators = {
        "structural": StructuralUncertainty(coverage, view="smoothed"),
        "learned from errors": learned,
    }
    rates = (0.25, 0.5, 0.85)
    result = evaluate.error_ranking(
        model, estimators, kg, rates=rates, num_resamples=1000
    )
    print(f"accuracy of all answers: {result['accuracy']:.3f}")
    for name, figures in result["methods"].items():
        listed = ", ".join(
            f"{chosen['accuracy']:.3f} at {chosen['answer_rate']:.0%}"
            for chosen in figures["selective"].values()
        )
        print(f"{name:20s} AURC {figures['aurc']:.4f}; {listed}")


if __name__ == "__main__":
    main()
