r"""Knowing when a knowledge-graph prediction should not be trusted."""

from pyg_cagp.coverage import Coverage

__version__ = "0.1.0"

__all__ = ["Coverage", "__version__"]
