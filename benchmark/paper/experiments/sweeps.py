r"""How results depend on the threshold, the weight and the model."""

from typing import Any

import torch

from benchmark.paper.setting import Setting
from pyg_cagp import evaluate, metrics
from pyg_cagp.protocols import Protocol, Standard, TemporalLike
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.uncertainty import (
    CAGP,
    SemanticUncertainty,
    SimpleAverage,
    StructuralUncertainty,
)

QUANTILES = (0.05, 0.10, 0.20, 0.25, 0.30)


def tau(setting: Setting) -> dict[str, Any]:
    r"""CAGP on partitions with other thresholds, and their sizes."""
    kg, coverage, model = setting.kg, setting.coverage, setting.model
    figures = {}
    for quantile in QUANTILES:
        partition = TemporalLikeOOD(quantile=quantile)
        protocol = TemporalLike(partition)
        test = protocol.label(kg, "test")
        cagp = CAGP(model, coverage).fit(kg, protocol=protocol)
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
                name: metrics.auroc(estimator(*test.triples), test.label)
                for name, estimator in signals.items()
            },
        }
    return figures


def alpha(setting: Setting, num_steps: int = 41) -> dict[str, Any]:
    r"""The weighted sum of both signals at every weight, for two shifts, with
    the best weight in hindsight and the weight fitted on validation.
    """
    kg, coverage, model = setting.kg, setting.coverage, setting.model
    figures: dict[str, Any] = {}
    protocols: dict[str, Protocol] = {
        "temporal-like, stated": TemporalLike("stated"),
        "temporal-like, table2": TemporalLike("table2"),
        "standard, stated": Standard(setting.seed),
    }
    for name, protocol in protocols.items():
        test = protocol.label(kg, "test")
        triples = test.triples
        parts = SimpleAverage(model, coverage).fit(kg).decompose(*triples)
        weights = torch.linspace(0, 1, num_steps, dtype=torch.double)
        areas = [
            metrics.auroc(
                w * parts.semantic + (1 - w) * parts.structural, test.label
            )
            for w in weights.tolist()
        ]
        cagp = CAGP(model, coverage).fit(kg, protocol=protocol)
        best = int(torch.tensor(areas).argmax())
        figures[name] = {
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
    r"""Single signals and their weighted sum, with another model."""
    kg, coverage, model = setting.kg, setting.coverage, setting.model
    figures: dict[str, Any] = {"mrr": evaluate.ranking(model, kg)["mrr"]}
    protocols: dict[str, Protocol] = {
        "standard, stated": Standard(setting.seed),
        "temporal-like, stated": TemporalLike("stated"),
        "temporal-like, table2": TemporalLike("table2"),
    }
    for title, protocol in protocols.items():
        test = protocol.label(kg, "test")
        larger = SemanticUncertainty(model, combine="max")
        estimators = {
            "semantic": SemanticUncertainty(model),
            "structural": StructuralUncertainty(coverage),
            "average": SimpleAverage(model, coverage).fit(kg),
            "cagp": CAGP(model, coverage).fit(kg, protocol=protocol),
            "cagp, max": CAGP(larger, coverage).fit(kg, protocol=protocol),
        }
        figures[title] = {
            name: metrics.auroc(estimator(*test.triples), test.label)
            for name, estimator in estimators.items()
        }
    return figures
