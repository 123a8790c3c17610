r"""How results hang on what was chosen: the threshold, the model."""

from typing import Any

import torch

from benchmark.paper.workshop import Workshop
from pyg_cagp import evaluate, metrics
from pyg_cagp.coverage import Coverage
from pyg_cagp.protocols import labelled_triples
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.uncertainty import (
    CAGP,
    SemanticUncertainty,
    SimpleAverage,
    StructuralUncertainty,
)

QUANTILES = (0.05, 0.10, 0.20, 0.25, 0.30)


def tau(
    workshop: Workshop,
    dataset: str,
    backbone: str,
    seed: int,
    changes: dict[str, Any],
) -> dict[str, Any]:
    r"""CAGP on partitions with other thresholds, and what they consist of."""
    kg = workshop.kg(dataset)
    coverage = Coverage.from_data(kg)
    model = workshop.model(dataset, backbone, seed, changes).model
    found = {}
    for quantile in QUANTILES:
        partition = TemporalLikeOOD(quantile=quantile)
        test = labelled_triples(kg, "temporal-like", preset=partition)
        triples = test.head, test.rel, test.tail
        cagp = CAGP(model, coverage).fit(kg, preset=partition)
        signals = {
            "cagp": cagp,
            "semantic": SemanticUncertainty(model),
            "structural": StructuralUncertainty(coverage),
        }
        found[f"{quantile:.2f}"] = {
            "tau": partition(kg).ood_tau,
            "counts": test.counts(),
            "alpha": cagp.alpha,
            **{
                name: metrics.auroc(estimator(*triples), test.label)
                for name, estimator in signals.items()
            },
        }
    return found


def alpha(
    workshop: Workshop,
    dataset: str,
    backbone: str,
    seed: int,
    changes: dict[str, Any],
    num_steps: int = 41,
) -> dict[str, Any]:
    r"""The mix of both signals at every weight, for two shifts. What hindsight
    would choose stands beside what validation chose.
    """
    kg = workshop.kg(dataset)
    coverage = Coverage.from_data(kg)
    model = workshop.model(dataset, backbone, seed, changes).model
    found: dict[str, Any] = {}
    for protocol, preset in (
        ("temporal-like", "stated"),
        ("temporal-like", "table2"),
        ("standard", "stated"),
    ):
        test = labelled_triples(kg, protocol, preset=preset, seed=seed)
        triples = test.head, test.rel, test.tail
        parts = SimpleAverage(model, coverage).fit(kg).decompose(*triples)
        weights = torch.linspace(0, 1, num_steps, dtype=torch.double)
        areas = [
            metrics.auroc(
                w * parts.semantic + (1 - w) * parts.structural, test.label
            )
            for w in weights.tolist()
        ]
        options: dict[str, Any] = {
            "protocol": protocol,
            "preset": preset,
            "seed": seed,
        }
        cagp = CAGP(model, coverage).fit(kg, **options)
        best = int(torch.tensor(areas).argmax())
        found[f"{protocol}, {preset}"] = {
            "alpha": weights.tolist(),
            "auroc": areas,
            "chosen": {
                "alpha": cagp.alpha,
                "auroc": metrics.auroc(cagp(*triples), test.label),
            },
            "in hindsight": {
                "alpha": float(weights[best]),
                "auroc": areas[best],
            },
        }
    return found


def architecture(
    workshop: Workshop,
    dataset: str,
    model: str,
    seed: int,
    changes: dict[str, Any],
) -> dict[str, Any]:
    r"""Single signals and their mix with another model behind them."""
    kg = workshop.kg(dataset)
    coverage = Coverage.from_data(kg)
    trained = workshop.model(dataset, model, seed, changes).model
    found: dict[str, Any] = {
        "mrr": evaluate.ranking(trained, kg)["mrr"],
    }
    for protocol, preset in (
        ("standard", "stated"),
        ("temporal-like", "stated"),
        ("temporal-like", "table2"),
    ):
        test = labelled_triples(kg, protocol, preset=preset, seed=seed)
        triples = test.head, test.rel, test.tail
        options: dict[str, Any] = {
            "protocol": protocol,
            "preset": preset,
            "seed": seed,
        }
        estimators = {
            "semantic": SemanticUncertainty(trained),
            "structural": StructuralUncertainty(coverage),
            "average": SimpleAverage(trained, coverage).fit(kg),
            "cagp": CAGP(trained, coverage).fit(kg, **options),
            "cagp, max": CAGP(
                SemanticUncertainty(trained, "max"), coverage
            ).fit(kg, **options),
        }
        found[f"{protocol}, {preset}"] = {
            name: metrics.auroc(estimator(*triples), test.label)
            for name, estimator in estimators.items()
        }
    return found
