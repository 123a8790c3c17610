r"""Formulas as MathML, which browsers draw by themselves.

MathJax would have to be fetched by whoever reads a page; these pages can be
read from a disk, without a network and without scripts.
"""

import html
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, pick_math_environment
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def convert(node: nodes.Node, is_block: bool) -> str:
    r"""Returns the MathML of a formula; one that cannot be read is a warning,
    and so an error of :obj:`make docs`.
    """
    code = node.astext().strip()
    try:
        environment = pick_math_environment(code) if is_block else ""
        if is_block and environment == "align*":
            code = f"\\begin{{aligned}}{code}\\end{{aligned}}"
        return tex2mathml(code, as_block=is_block)
    except MathError as error:
        logger.warning("formula %r: %s", code, error, location=node)
        return f"<code>{html.escape(code)}</code>"


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
