r"""How the documentation is built: :obj:`make docs`."""

import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

# This checkout comes before an installed one.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pyg_cagp import __version__

project = "pyg_cagp"
author = "The pyg_cagp developers"
copyright = "the pyg_cagp developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinxarg.ext",
]
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]

# Every reference into the package must have a target. Other packages' pages
# are not available to the build.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!pyg_cagp).*"),
    # Private bases have no page: their paths go below the public packages.
    (
        "py:class",
        r"(?!pyg_cagp\.(nn\.\w+|uncertainty\.baselines)\.[A-Z])"
        r"pyg_cagp(\.\w+){3,}",
    ),
]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_ignore_module_all = False  # `__all__` lists what is public.
# Classes show the members of their private bases, and not those of these.
documented_bases = """
    ABC BaseException BaseTransform BilinearKGEModel ConfidenceUncertainty
    Dataset GaussianKGEModel Generic InMemoryDataset KGEModel Module
    QueryKGEModel SimpleAverage UncertaintyEstimator dict tuple
"""
autosummary_context = {"documented_bases": ",".join(documented_bases.split())}
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # `Args:` has them.
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
smartquotes = False  # Options begin with two dashes.

html_theme = "furo"
html_title = "pyg_cagp"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}


def skip_member(
    app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    r"""Omits the fields of named tuples, whose docstrings are generated."""
    doc = getattr(obj, "__doc__", None) or ""
    return True if doc.startswith("Alias for field number") else None


def setup(app: Sphinx) -> None:
    r"""Registers the handler."""
    app.connect("autodoc-skip-member", skip_member)
