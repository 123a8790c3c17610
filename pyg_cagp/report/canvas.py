r"""Empty pictures in the manner of a report, and finished ones as SVG."""

import functools
import io
import re
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any, ParamSpec

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import WITH_MATPLOTLIB

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P = ParamSpec("P")

#: Stands for the colour of text until the page knows whether it is dark.
INK = "#010203"
GUIDE = "#8a8f98"

#: Colours for the colour-blind, on light and on dark ground.
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
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.6,
}


def check_matplotlib() -> None:
    r"""Checks that pictures can be drawn."""
    if not WITH_MATPLOTLIB:
        raise InvalidInputError(
            "pictures need matplotlib; run pip install 'pyg_cagp[plot]'"
        )


def picture(draw: "Callable[P, Figure]") -> "Callable[P, Figure]":
    r"""Lets a function draw in the style of a report."""

    @functools.wraps(draw)
    def styled(*args: P.args, **kwargs: P.kwargs) -> "Figure":
        check_matplotlib()
        from matplotlib import rc_context

        with rc_context(STYLE):
            return draw(*args, **kwargs)

    return styled


def new_figure(width: float, height: float) -> "tuple[Figure, Any]":
    r"""Returns an empty picture and its axes."""
    # Not pyplot, which keeps figures alive and wants a display.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def to_svg(figure: "Figure", name: str, alt: str) -> str:
    r"""Returns a picture as an element of a page, in the page's own colours."""
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context({**STYLE, "svg.hashsalt": name}):
        options: dict[str, Any] = {"dpi": 160, "metadata": {"Date": None}}
        figure.savefig(buffer, format="svg", transparent=True, **options)
    text = buffer.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    # Groups have ids that nothing refers to, the same ones in every picture.
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # Its size is the page's business.
    head, rest = text.split(">", 1)
    head = re.sub(r' (width|height)="[^"]*pt"', "", head)
    return f'{head} role="img" aria-label="{escape(alt, quote=True)}">{rest}'


def to_png(figure: "Figure") -> bytes:
    r"""Returns a picture as a PNG file, on white."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=130, facecolor="white")
    return buffer.getvalue()
