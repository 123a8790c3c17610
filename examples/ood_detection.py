r"""Two kinds of uncertainty and their weighted sum on three kinds of triples.

    python examples/ood_detection.py
    python examples/ood_detection.py --dataset fb15k-237 --epochs 30

Semantic uncertainty detects emerging entities, structural uncertainty novel
contexts, CAGP both. All evidence together gives a probability and its parts.
"""

import argparse

from pyg_cagp import (
    CAGP,
    Coverage,
    SemanticUncertainty,
    StructuralUncertainty,
    evaluate,
)
from pyg_cagp.data import triples
from pyg_cagp.datasets import load
from pyg_cagp.train import Config, train_run
from pyg_cagp.uncertainty import EvidenceUncertainty


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
    estimators = {
        "semantic": SemanticUncertainty(model),
        "structural": StructuralUncertainty(coverage),
        "cagp": CAGP(model, coverage).fit(kg),
        "evidence": EvidenceUncertainty(coverage, model).fit(
            kg, protocol="comprehensive"
        ),
    }
    for protocol in ("temporal-like", "standard"):
        result = evaluate.ood(estimators, kg, protocol=protocol)
        print(f"{protocol}: {result['counts']['test']}")
        for name, rows in result["methods"].items():
            areas = {
                row: f"{figures['auroc']:.3f}"
                for row, figures in rows.items()
                if row != "calibration"
            }
            print(f"  {name:12s} {areas}")

    cagp, evidence = estimators["cagp"], estimators["evidence"]
    print(f"weight of semantic uncertainty: {cagp.alpha:.2f}")
    head, rel, tail = triples(kg, "test")
    triple = head[:1], rel[:1], tail[:1]
    parts = cagp.decompose(*triple)
    print(
        f"first test triple: semantic {float(parts.semantic):.2f}, "
        f"structural {float(parts.structural):.2f}, probability of being OOD "
        f"{float(evidence(*triple)):.3f}"
    )


if __name__ == "__main__":
    main()
