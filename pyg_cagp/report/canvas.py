r"""Empty figures in the style of a report, and finished ones as SVG or PNG."""

import io
import re
from html import escape
from typing import TYPE_CHECKING, Any

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import WITH_JINJA2, WITH_MATPLOTLIB

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The width and the height of a figure, in inches.
SIZE = (3.7, 3.4)

#: The colour of text in a PNG. In an SVG, it becomes the colour of the page.
INK = "#010203"
GUIDE = "#8a8f98"

#: Colours that the colour-blind can separate, on light and on dark ground.
METHOD_COLOURS = {
    "semantic": "#2b8cd6",
    "structural": "#e06c1f",
    "CAGP": "#1aa179",
    "evidence": "#b35fcc",
    "max probability": "#a08a3c",
}
KIND_COLOURS = {
    "id": "#7f9bb3",
    "emerging": "#2b8cd6",
    "novel": "#e06c1f",
    "corrupted": "#b35fcc",
    "false": "#b35fcc",
    "future": "#e06c1f",
}

STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "legend.title_fontsize": 8,
}


def check_packages() -> None:
    r"""Checks that figures can be drawn and pages be written."""
    packages = {"jinja2": WITH_JINJA2, "matplotlib": WITH_MATPLOTLIB}
    missing = [name for name, installed in packages.items() if not installed]
    if missing:
        raise InvalidInputError(
            f"a report needs {' and '.join(missing)}; run pip install "
            f"'pyg_cagp[plot]'"
        )


def new_figure() -> "tuple[Figure, Any]":
    r"""Returns an empty figure and its axes. All figures share one size."""
    # Not pyplot, which keeps figures alive and wants a display.
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")
    return figure, figure.add_subplot()


def to_svg(figure: "Figure", name: str, alt: str) -> str:
    r"""Returns a figure as an SVG element in the text colour of the page."""
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context({**STYLE, "svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", transparent=True, dpi=160)
    text = buffer.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    # The ids of groups repeat in every figure, and nothing refers to them.
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # The style sheet of the page sets the size.
    head, rest = text.split(">", 1)
    head = re.sub(r' (width|height)="[^"]*pt"', "", head)
    return f'{head} role="img" aria-label="{escape(alt, quote=True)}">{rest}'


def to_png(figure: "Figure") -> bytes:
    r"""Returns a figure as a PNG file on white ground."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=130, facecolor="white")
    return buffer.getvalue()
