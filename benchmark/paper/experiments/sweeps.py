r"""How results depend on the threshold, the weight and the model."""

from typing import Any

import torch

from benchmark.paper.setting import Setting
from pyg_cagp import evaluate, metrics
from pyg_cagp.protocols import labelled_triples
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.uncertainty import (
    CAGP,
    SemanticUncertainty,
    SimpleAverage,
    StructuralUncertainty,
)

QUANTILES = (0.05, 0.10, 0.20, 0.25, 0.30)


def tau(setting: Setting) -> dict[str, Any]:
    r"""CAGP on partitions with other thresholds, and what they consist of."""
    kg, coverage, model = setting.kg, setting.coverage, setting.model
    figures = {}
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
        figures[f"{quantile:.2f}"] = {
            "tau": partition(kg).ood_tau,
            "counts": test.counts(),
            "alpha": cagp.alpha,
            **{
                name: metrics.auroc(estimator(*triples), test.label)
                for name, estimator in signals.items()
            },
        }
    return figures


def alpha(setting: Setting, num_steps: int = 41) -> dict[str, Any]:
    r"""The mix of both signals at every weight, for two shifts. What hindsight
    would choose stands beside what validation chose.
    """
    kg, coverage, model = setting.kg, setting.coverage, setting.model
    figures: dict[str, Any] = {}
    for protocol, preset in (
        ("temporal-like", "stated"),
        ("temporal-like", "table2"),
        ("standard", "stated"),
    ):
        options: dict[str, Any] = {"preset": preset, "seed": setting.seed}
        test = labelled_triples(kg, protocol, **options)
        triples = test.head, test.rel, test.tail
        parts = SimpleAverage(model, coverage).fit(kg).decompose(*triples)
        weights = torch.linspace(0, 1, num_steps, dtype=torch.double)
        areas = [
            metrics.auroc(
                w * parts.semantic + (1 - w) * parts.structural, test.label
            )
            for w in weights.tolist()
        ]
        cagp = CAGP(model, coverage).fit(kg, protocol=protocol, **options)
        best = int(torch.tensor(areas).argmax())
        figures[f"{protocol}, {preset}"] = {
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
    return figures


def architecture(setting: Setting) -> dict[str, Any]:
    r"""Single signals and their mix with another model behind them."""
    kg, coverage, model = setting.kg, setting.coverage, setting.model
    figures: dict[str, Any] = {"mrr": evaluate.ranking(model, kg)["mrr"]}
    for protocol, preset in (
        ("standard", "stated"),
        ("temporal-like", "stated"),
        ("temporal-like", "table2"),
    ):
        options: dict[str, Any] = {"preset": preset, "seed": setting.seed}
        test = labelled_triples(kg, protocol, **options)
        larger = SemanticUncertainty(model, "max")
        options["protocol"] = protocol
        estimators = {
            "semantic": SemanticUncertainty(model),
            "structural": StructuralUncertainty(coverage),
            "average": SimpleAverage(model, coverage).fit(kg),
            "cagp": CAGP(model, coverage).fit(kg, **options),
            "cagp, max": CAGP(larger, coverage).fit(kg, **options),
        }
        figures[f"{protocol}, {preset}"] = {
            name: metrics.auroc(
                estimator(test.head, test.rel, test.tail), test.label
            )
            for name, estimator in estimators.items()
        }
    return figures
