r"""Small pieces of a page."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple


class Mark(NamedTuple):
    r"""Text of a class of its own, such as :obj:`"good"`."""

    text: str
    kind: str


def text(value: Any) -> str:
    r"""Returns a value as text that a page can hold.

    Example:
        >>> text("a < b"), text(0.12345), text(None), text(12345)
        ('a &lt; b', '0.123', '-', '12,345')
    """
    if value is None:
        return "-"
    if isinstance(value, Mark):
        return f'<span class="{value.kind}">{escape(value.text)}</span>'
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return escape(str(value))


def table(heading: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    r"""Returns a table."""
    head = "".join(f"<th>{text(cell)}</th>" for cell in heading)
    body = "\n".join(
        "<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows
    )
    return (
        f'<div class="table"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _cell(value: Any) -> str:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if isinstance(value, Mark):
        number = value.text.replace(".", "").isdigit()
    kind = "number" if number else "name"
    return f'<td class="{kind}">{text(value)}</td>'


def facts(found: dict[str, Any]) -> str:
    r"""Returns boxes with a figure each."""
    boxes = "\n".join(
        f"<div><b>{text(value)}</b><span>{text(name)}</span></div>"
        for name, value in found.items()
    )
    return f'<div class="facts">\n{boxes}\n</div>'


def figure(svg: str, wide: bool = False) -> str:
    r"""Returns a picture with a frame."""
    kind = ' class="wide"' if wide else ""
    return f"<figure{kind}>{svg}</figure>"


def figures(svgs: Sequence[str]) -> str:
    r"""Returns pictures side by side, as many as fit."""
    inner = "\n".join(figure(svg) for svg in svgs)
    return f'<div class="figures">\n{inner}\n</div>'


def paragraph(words: str, kind: str = "") -> str:
    r"""Returns a paragraph."""
    kind = f' class="{kind}"' if kind else ""
    return f"<p{kind}>{text(words)}</p>"
