r"""How the documentation is built; nothing in it asks the network.

make docs
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# This checkout, wherever another one may be installed.
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]

from pyg_cagp import __version__  # noqa: E402

project = "pyg_cagp"
author = "The pyg_cagp developers"
copyright = "the pyg_cagp developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "mathml",
    "reference_pages",
]
exclude_patterns = ["_build", "_ext"]

# Every reference into the package must lead somewhere. Others cannot, as their
# pages are not at hand.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!pyg_cagp).*")]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autosummary_generate = False  # The tables only; pages are made elsewhere.
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # `Args:` has them.
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = "pyg_cagp"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
