r"""The drawings of a report."""

from typing import TYPE_CHECKING, Any

import torch

from pyg_cagp.report.canvas import (
    GUIDE,
    KIND_COLOURS,
    METHOD_COLOURS,
    new_figure,
    picture,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The options of a legend with a title.
LEGEND: dict[str, Any] = {
    "alignment": "left",
    "fontsize": 8,
    "title_fontsize": 8,
    "frameon": False,
}


@picture
def decomposition(points: dict[str, Any]) -> "Figure":
    r"""Semantic against structural uncertainty, coloured by kind."""
    figure, axes = new_figure(5.2, 4.2)
    kind = torch.tensor(points["kind"])
    semantic = torch.tensor(points["semantic"])
    structural = torch.tensor(points["structural"])
    # It has three values: a little noise separates the points.
    generator = torch.Generator().manual_seed(0)
    noise = torch.rand(structural.shape, generator=generator) - 0.5
    for number, name in enumerate(points["kinds"]):
        chosen = kind == number
        axes.scatter(
            semantic[chosen],
            (structural + 0.36 * noise)[chosen],
            s=9,
            alpha=0.55,
            linewidths=0,
            color=KIND_COLOURS[name],
            label=name,
            rasterized=True,
        )
    axes.set(
        xlabel="semantic uncertainty (variance of both ends)",
        ylabel="structural uncertainty (pairs never seen)",
        yticks=[0, 1, 2],
    )
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 1.12),
        ncols=len(points["kinds"]),
        frameon=False,
        markerscale=2.5,
    )
    return figure


@picture
def roc(found: dict[str, Any], title: str) -> "Figure":
    r"""ROC curves with their bands."""
    figure, axes = new_figure(4.2, 4.2)
    axes.plot([0, 1], [0, 1], color=GUIDE, linewidth=0.8, linestyle="--")
    for name, curve in found["curves"].items():
        area = found["methods"][name]["overall"]
        colour = METHOD_COLOURS[name]
        _band(axes, curve, colour, 0.2)
        ends = f"[{area['low']:.3f}, {area['high']:.3f}]"
        label = f"{name} {area['auroc']:.3f} {ends}"
        # Every curve begins in the corner.
        points = [0, *curve["x"]], [0, *curve["y"]]
        axes.plot(*points, color=colour, label=label)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    axes.set(xlabel="false alarms", ylabel="found")
    axes.set_title(title, loc="left")
    axes.legend(loc="lower right", title="AUROC [95 %]", **LEGEND)
    return figure


def _band(axes: Any, curve: dict[str, Any], colour: str, alpha: float) -> None:
    ends = curve["low"], curve["high"]
    axes.fill_between(curve["x"], *ends, color=colour, alpha=alpha, linewidth=0)


@picture
def risk_coverage(errors: dict[str, Any]) -> "Figure":
    r"""The share of errors among answers, for every share of answers."""
    figure, axes = new_figure(5.2, 3.9)
    for name, curve in errors["curves"].items():
        colour = METHOD_COLOURS[name]
        _band(axes, curve, colour, 0.15)
        aurc = errors["methods"][name]["aurc"]
        label = f"{name} {aurc:.3f}"
        axes.plot(curve["x"], curve["y"], color=colour, label=label)
    grid = next(iter(errors["curves"].values()))["x"]
    label = f"in hindsight {errors['optimal_aurc']:.3f}"
    axes.plot(grid, errors["best"], color=GUIDE, linestyle="--", label=label)
    axes.set(xlim=(0, 1), ylim=(0, 1.02))
    axes.set(xlabel="share of queries answered", ylabel="wrong among answers")
    axes.legend(title="AURC, lower is better", **LEGEND)
    return figure


@picture
def reliability(bins: dict[str, Any], title: str) -> "Figure":
    r"""The share of OOD triples by the evidence, with Wilson's intervals."""
    figure, axes = new_figure(4.2, 4.2)
    axes.plot([0, 1], [0, 1], color=GUIDE, linewidth=0.8, linestyle="--")
    size = torch.tensor(bins["size"], dtype=torch.double)
    share = torch.tensor(bins["frequency"], dtype=torch.double)
    low, high = wilson(share, size)
    axes.errorbar(
        bins["confidence"],
        bins["frequency"],
        yerr=torch.stack([share - low, high - share]).clamp(min=0).numpy(),
        fmt="o",
        color=METHOD_COLOURS["evidence"],
        markersize=4,
        capsize=2,
    )
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    axes.set(xlabel="evidence (probability of being OOD)")
    axes.set(ylabel="share that is OOD")
    axes.set_title(f"evidence, {title}: ECE {bins['ece']:.3f}", loc="left")
    return figure


def wilson(
    share: torch.Tensor, size: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    r"""Returns Wilson's 95 % interval of shares.

    Example:
        >>> low, high = wilson(torch.tensor([0.5]), torch.tensor([100.0]))
        >>> round(float(low), 4), round(float(high), 4)
        (0.4038, 0.5962)
    """
    z2 = 1.959964**2
    middle = (share + z2 / (2 * size)) / (1 + z2 / size)
    half = (share * (1 - share) / size + z2 / (4 * size.square())).sqrt()
    half = z2**0.5 * half / (1 + z2 / size)
    return middle - half, middle + half


@picture
def variance(points: dict[str, Any], a1: dict[str, Any]) -> "Figure":
    r"""Variance against frequency."""
    figure, axes = new_figure(4.2, 4.2)
    axes.scatter(
        # So that unseen entities have a place.
        [frequency + 1 for frequency in points["frequency"]],
        points["variance"],
        s=6,
        alpha=0.4,
        linewidths=0,
        color=METHOD_COLOURS["semantic"],
        rasterized=True,
    )
    axes.set(xscale="log", yscale="log", ylabel="mean variance")
    axes.set(xlabel="1 + training triples of the entity")
    if a1["spearman"] is not None:
        axes.set_title(f"Spearman {a1['spearman']:.3f}", loc="left")
    return figure


@picture
def weights(swept: dict[str, Any]) -> "Figure":
    r"""CAGP at every weight, and the weight that validation chose."""
    figure, axes = new_figure(4.2, 4.2)
    colours = METHOD_COLOURS.values()
    for (title, part), colour in zip(swept.items(), colours, strict=False):
        axes.plot(part["alpha"], part["auroc"], color=colour, label=title)
        chosen = part["chosen"]
        axes.plot(chosen["alpha"], chosen["auroc"], "o", color=colour)
    axes.set(
        xlabel="weight of semantic uncertainty\n(dots: chosen on validation)",
        ylabel="AUROC of CAGP",
    )
    axes.legend(frameon=False, fontsize=8)
    return figure
