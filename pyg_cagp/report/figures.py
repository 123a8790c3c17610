r"""The figures of a report."""

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from pyg_cagp.report.canvas import (
    GUIDE,
    KIND_COLOURS,
    METHOD_COLOURS,
    new_figure,
)
from pyg_cagp.report.curves import interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The style of dots, drawn as pixels because there are many.
DOTS = {"s": 8, "alpha": 0.5, "linewidths": 0, "rasterized": True}

#: Places a legend above the axes.
ABOVE: dict[str, Any] = {
    "loc": "lower left",
    "bbox_to_anchor": (-0.05, 1.0),
    "handletextpad": 0.4,
}


def decomposition(points: dict[str, Any]) -> "Figure":
    r"""Draws semantic against structural uncertainty, coloured by kind."""
    figure, axes = new_figure()
    kind = torch.tensor(points["kind"])
    semantic = torch.tensor(points["semantic"])
    structural = torch.tensor(points["structural"])
    # Structural uncertainty has three values; noise separates the points.
    generator = torch.Generator().manual_seed(0)
    noise = torch.rand(structural.shape, generator=generator) - 0.5
    for number, name in enumerate(points["kinds"]):
        chosen = kind == number
        axes.scatter(
            semantic[chosen],
            (structural + 0.36 * noise)[chosen],
            color=KIND_COLOURS[name],
            label=name,
            **DOTS,
        )
    axes.set(xlabel="semantic uncertainty", yticks=[0, 1, 2])
    axes.set(ylabel="structural uncertainty")
    axes.legend(**ABOVE, ncols=4, markerscale=2, columnspacing=1)
    return figure


def roc(detected: dict[str, Any]) -> "Figure":
    r"""Draws ROC curves with their bands."""
    figure, axes = new_figure()
    axes.plot([0, 1], [0, 1], color=GUIDE, linewidth=0.8, linestyle="--")
    for name, curve in detected["curves"].items():
        area = detected["methods"][name]["overall"]
        colour = METHOD_COLOURS[name]
        _band(axes, curve, colour, 0.2)
        ends = f"[{area['auroc_low']:.3f}, {area['auroc_high']:.3f}]"
        label = f"{name} {area['auroc']:.3f} {ends}"
        # Each curve begins at (0, 0).
        points = [0, *curve["x"]], [0, *curve["y"]]
        axes.plot(*points, color=colour, label=label)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    axes.set(xlabel="false positive rate", ylabel="true positive rate")
    axes.legend(loc="lower right", title="AUROC [95%]", alignment="left")
    return figure


def _band(axes: Any, curve: dict[str, Any], colour: str, alpha: float) -> None:
    ends = curve["low"], curve["high"]
    axes.fill_between(curve["x"], *ends, color=colour, alpha=alpha, linewidth=0)


def risk_coverage(errors: dict[str, Any]) -> "Figure":
    r"""Draws the share of errors for each share of answers."""
    figure, axes = new_figure()
    for name, curve in errors["curves"].items():
        colour = METHOD_COLOURS[name]
        _band(axes, curve, colour, 0.15)
        label = f"{name} {errors['methods'][name]['aurc']:.3f}"
        axes.plot(curve["x"], curve["y"], color=colour, label=label)
    grid = next(iter(errors["curves"].values()))["x"]
    label = f"best possible {errors['optimal_aurc']:.3f}"
    axes.plot(grid, errors["best"], color=GUIDE, linestyle="--", label=label)
    axes.set(xlim=(0, 1), xlabel="share of queries answered")
    axes.set(ylim=(0, 1.02), ylabel="share of wrong answers")
    axes.legend(**ABOVE, ncols=2, title="AURC", alignment="left")
    return figure


def reliability(bins: dict[str, Any]) -> "Figure":
    r"""Draws the share of OOD triples in bins of evidence."""
    figure, axes = new_figure()
    axes.plot([0, 1], [0, 1], color=GUIDE, linewidth=0.8, linestyle="--")
    shares = bins["frequency"]
    low, high = zip(*map(interval, shares, bins["size"]), strict=True)
    axes.errorbar(
        bins["confidence"],
        shares,
        yerr=abs(np.array([low, high]) - shares),
        fmt="o",
        color=METHOD_COLOURS["evidence"],
        markersize=4,
        capsize=2,
    )
    axes.set(xlim=(-0.03, 1.03), xlabel="evidence (probability of being OOD)")
    axes.set(ylim=(-0.03, 1.03), ylabel="share of OOD triples")
    return figure


def variance(points: dict[str, Any]) -> "Figure":
    r"""Draws the variance of entities against their frequency."""
    figure, axes = new_figure()
    axes.scatter(
        # The logarithm needs positive numbers.
        [frequency + 1 for frequency in points["frequency"]],
        points["variance"],
        color=METHOD_COLOURS["semantic"],
        **DOTS,
    )
    axes.set(xscale="log", yscale="log", ylabel="mean variance")
    axes.set(xlabel="1 + training triples of the entity")
    return figure
