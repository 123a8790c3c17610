r"""Scales of the semantic signal that reveal labels.

A scale that is computed from the scored triples, for ID and OOD triples
separately, reveals the label of each triple. The paper does not say how it
normalises. This experiment measures two such scales; nothing else uses them.
"""

from typing import Any

import torch
from torch import Tensor

from benchmark.paper.setting import Setting
from pyg_cagp import metrics
from pyg_cagp.protocols import Standard
from pyg_cagp.uncertainty import (
    FrequencyUncertainty,
    SemanticUncertainty,
    SimpleAverage,
    StructuralUncertainty,
)

SCALES = ("range", "largest")


def leak(setting: Setting) -> dict[str, Any]:
    r"""Detection of random tails by the same weighted sum, with a clean scale
    and with separate scales for ID and OOD triples.
    """
    kg, coverage, model = setting.kg, setting.coverage, setting.model
    test = Standard(setting.seed).label(kg, "test")
    triples = test.triples
    structural = StructuralUncertainty(coverage)(*triples).double()
    frequency = coverage.frequency().double()
    proxy = (1 + frequency).rsqrt()
    signals = {
        "variance": SemanticUncertainty(model)(*triples).double(),
        "1 / (1 + frequency)": FrequencyUncertainty(coverage)(
            *triples
        ).double(),
        "1 / sqrt(1 + frequency)": (proxy[test.head] + proxy[test.tail]) / 2,
    }
    low, high = float(proxy.min()), float(proxy.max())
    clean = {
        "variance": SimpleAverage(model, coverage).fit(kg)(*triples),
        "1 / (1 + frequency)": SimpleAverage(
            FrequencyUncertainty(coverage), coverage
        ).fit(kg)(*triples),
        "1 / sqrt(1 + frequency)": (
            2 * (signals["1 / sqrt(1 + frequency)"] - low) / (high - low)
            + structural
        ),
    }
    figures: dict[str, Any] = {
        "structural": metrics.auroc(structural, test.label)
    }
    for name, signal in signals.items():
        figures[name] = {
            "semantic alone": metrics.auroc(signal, test.label),
            "clean": metrics.auroc(clean[name], test.label),
            **{
                f"as published, {scale}": metrics.auroc(
                    per_population(signal, test.label, scale) + structural,
                    test.label,
                )
                for scale in SCALES
            },
        }
    return figures


def per_population(signal: Tensor, label: Tensor, scale: str) -> Tensor:
    r"""Rescales a signal separately for ID and OOD triples."""
    scaled = torch.empty_like(signal)
    for kind in (0, 1):
        chosen = label == kind
        part = signal[chosen]
        scaled[chosen] = 2 * (
            (part - part.min()) / (part.max() - part.min())
            if scale == "range"
            else part - part.max()
        )
    return scaled
