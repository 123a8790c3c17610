r"""Formulas as MathML, which browsers draw by themselves.

MathJax would have to be fetched by whoever reads a page; these pages can be
read from a disk, without a network and without scripts.
"""

import html
import re
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError, pick_math_environment
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

SPACE = "http://www.w3.org/1998/Math/MathML"
ElementTree.register_namespace("", SPACE)
NAMED = re.compile(r"&(\w+);")
#: What stands between a function and what it is applied to.
APPLY = "\u2061"
THIN = {"width": "0.17em"}


def convert(node: nodes.Node, is_block: bool) -> str:
    r"""Returns the MathML of a formula; one that cannot be read is a warning,
    and so an error of :obj:`make docs`.
    """
    code = node.astext().strip()
    try:
        environment = pick_math_environment(code) if is_block else ""
        if is_block and environment == "align*":
            code = f"\\begin{{aligned}}{code}\\end{{aligned}}"
        return mended(tex2mathml(code, as_block=is_block))
    except MathError as error:
        logger.warning("formula %r: %s", code, error, location=node)
        return f"<code>{html.escape(code)}</code>"


def mended(mathml: str) -> str:
    r"""Mends what docutils does otherwise than TeX."""
    tree = ElementTree.fromstring(NAMED.sub(_character, mathml))
    for node in tree.iter(tag("munderover")):
        _put_subscript_beside(node)
    for node in list(tree.iter()):
        _space_functions(node)
    return ElementTree.tostring(tree, encoding="unicode")


def tag(name: str) -> str:
    r"""Returns the full name of an element."""
    return f"{{{SPACE}}}{name}"


def _character(match: re.Match[str]) -> str:
    # XML knows five names, HTML many more.
    is_xml = match[1] in ("lt", "gt", "amp", "quot", "apos")
    return match[0] if is_xml else html.unescape(match[0])


def _put_subscript_beside(node: ElementTree.Element) -> None:
    base, below, accent = node
    if accent.get("stretchy") != "false":
        return  # The limits of a sum.
    for child in (base, below, accent):
        node.remove(child)
    node.tag = tag("msub")
    letter = ElementTree.SubElement(node, tag("mover"), accent="true")
    letter.extend([base, accent])
    node.append(below)


def _space_functions(node: ElementTree.Element) -> None:
    children = list(node)
    for place in reversed(range(1, len(children))):
        name, apply = children[place - 1], children[place]
        if apply.text != APPLY:
            continue
        after = children[place + 1] if place + 1 < len(children) else None
        if after is not None and after.tag != tag("mo"):
            node.insert(place + 1, ElementTree.Element(tag("mspace"), THIN))
        if place > 1 and children[place - 2].tag != tag("mo"):
            before = list(node).index(name)
            node.insert(before, ElementTree.Element(tag("mspace"), THIN))


def visit_inline(translator: Any, node: nodes.math) -> None:
    r"""Writes a formula within a line."""
    translator.body.append(convert(node, is_block=False))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    r"""Writes a formula on a line of its own."""
    translator.body.append(convert(node, is_block=True))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    r"""Offers the renderer to Sphinx."""
    app.add_html_math_renderer(
        "mathml", (visit_inline, None), (visit_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
