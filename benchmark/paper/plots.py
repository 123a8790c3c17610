r"""The figures of the documentation, drawn from records.

Needs matplotlib (:obj:`pip install 'pyg_cagp[paper]'`).
"""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from benchmark.paper.tables import Records, Spread

FB = "fb15k-237"

#: Colours that are distinct with red-green colour blindness.
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#777777"

STYLE = {
    "svg.hashsalt": "pyg_cagp",  # The same records, the same bytes.
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "figure.facecolor": "white",
    "font.size": 10,
    "legend.frameon": False,
}

SIGNALS = {
    "semantic": ("U_sem", BLUE),
    "structural": ("U_str", ORANGE),
    "cagp": ("CAGP", GREEN),
}

SETTINGS = {
    "temporal-like, table2": ("temporal-like (table 2)", GREEN),
    "temporal-like, stated": ("temporal-like (stated)", BLUE),
    "standard, stated": ("random tails", ORANGE),
}

UPDATES = {
    "structural, updated": ("U_str, updated every week", ORANGE, "-"),
    "structural, frozen": ("U_str, frozen", ORANGE, ":"),
    "semantic, updated": ("U_sem, updated every week", BLUE, "-"),
    "semantic, frozen": ("U_sem, frozen", BLUE, ":"),
}


def two_kinds(records: Records, axes: Axes) -> None:
    r"""Draws the AUROC of both signals and of their sum, by kind of OOD."""
    for place, (method, (name, colour)) in enumerate(SIGNALS.items()):
        for column, kind in enumerate(("emerging", "novel", "overall")):
            area = _area(records, "temporal-like-table2", method, kind)
            if area is None:
                continue
            x = column + 0.26 * (place - 1)
            label = name if column == 0 else None
            axes.bar(
                x, area.mean, 0.24, color=colour, yerr=area.half, label=label
            )
            axes.annotate(f"{area:.2f}", (x, area.mean + 0.01), ha="center")
    axes.axhline(0.5, color=GREY, linewidth=0.8, linestyle="--")
    axes.annotate("chance", (2.42, 0.507), color=GREY)
    axes.set_xticks(range(3), ("emerging entities", "novel contexts", "both"))
    axes.set(xlim=(-0.5, 2.75), ylim=(0.4, 1.08), ylabel="AUROC")
    axes.set_title("FB15k-237: each signal detects one kind better")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3)


def weights(records: Records, axes: Axes) -> None:
    r"""Draws the weighted sum at every weight, and the fitted weight."""
    for result in records.seeds(f"{FB}/alpha")[:1]:
        for key, (name, colour) in SETTINGS.items():
            sweep, chosen = result[key], result[key]["chosen"]
            axes.plot(sweep["alpha"], sweep["auroc"], color=colour, label=name)
            axes.plot(chosen["alpha"], chosen["auroc"], "o", color=colour)
    weight = "weight of semantic uncertainty (dots: chosen on validation)"
    axes.set(xlabel=weight, ylabel="AUROC")
    axes.set_title("FB15k-237: mixing two kinds of uncertainty")
    axes.legend(loc="lower left")


def arrival(records: Records, axes: Axes) -> None:
    r"""Draws the weeks after training, with and without updates."""
    for result in records.seeds("icews14/arrival")[:1]:
        weeks = [row["week"] + 1 for row in result["weeks"]]
        for key, (name, colour, line) in UPDATES.items():
            areas = [row["auroc"][key] for row in result["weeks"]]
            axes.plot(weeks, areas, line, color=colour, label=name)
    axes.set_xlabel("weeks after the end of training")
    axes.set_ylabel("AUROC of random tails")
    axes.set_title("ICEWS14: evidence that arrives later")
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.18)}
    axes.legend(**place, fontsize=8, ncols=2)


#: The methods: their names, their colours, and the side of the point on which
#: the name is drawn.
BY_SHIFT = {
    "probability": ("softmax probability", GREY, "left"),
    "ukge": ("UKGE", GREY, "above"),
    "beurre": ("BEUrRE", GREY, "left"),
    "mc dropout, mean": ("MC Dropout", GREY, "above"),
    "ensemble, mean": ("Deep Ensemble", GREY, "below"),
    "sngp, mean": ("SNGP", GREY, "right"),
    "gpn": ("GPN", GREY, "left"),
    "relation variance": ("relation-conditioned variance", GREY, "left"),
    "semantic": ("U_sem", BLUE, "left"),
    "structural": ("U_str", ORANGE, "left"),
    "structural, smoothed": ("U_str, smoothed", ORANGE, "below"),
    "cagp": ("CAGP", GREEN, "left"),
    "evidence": ("all evidence", GREEN, "above"),
}
SIDES: dict[str, dict[str, Any]] = {
    "left": {"xytext": (-6, -3), "ha": "right"},
    "right": {"xytext": (6, -3), "ha": "left"},
    "below": {"xytext": (0, -14), "ha": "center"},
    "above": {"xytext": (0, 6), "ha": "center"},
}


def by_shift(records: Records, axes: Axes) -> None:
    r"""Draws AUROCs on random tails against those on temporal-like OOD."""
    for method, (name, colour, side) in BY_SHIFT.items():
        tails = _area(records, "standard-stated", method)
        early = _area(records, "temporal-like-table2", method)
        if tails is None or early is None:
            continue
        point = tails.mean, early.mean
        axes.plot(*point, "o", color=colour)
        style = {"textcoords": "offset points", **SIDES[side]}
        axes.annotate(name, point, color=colour, fontsize=9, **style)
    axes.axhline(0.5, color=GREY, linewidth=0.8, linestyle="--")
    axes.annotate("chance", (0.6, 0.507), color=GREY, fontsize=9)
    axes.set(xlim=(0.6, 1.03), ylim=(0.3, 1.07))
    axes.set_xlabel("AUROC of random tails")
    axes.set_ylabel("AUROC of emerging entities\nand novel contexts")
    axes.set_title("FB15k-237: what each method detects")


#: Every figure, with its height.
FIGURES = {two_kinds: 3.4, weights: 3.4, arrival: 3.4, by_shift: 4.2}


def draw_figures(records: Records, out: Path) -> list[Path]:
    r"""Draws all figures into a folder, and returns their files."""
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    with plt.rc_context(STYLE):
        for draw, height in FIGURES.items():
            figure, axes = plt.subplots(figsize=(6.4, height))
            draw(records, axes)
            figure.tight_layout()
            paths.append(out / f"{draw.__name__}.svg")
            figure.savefig(paths[-1], metadata={"Date": None})
            plt.close(figure)
    return paths


def _area(
    records: Records, setting: str, method: str, kind: str = "overall"
) -> Spread | None:
    name = f"{FB}/detection/{setting}"
    return records.spread(name, "methods", method, kind, "auroc")
