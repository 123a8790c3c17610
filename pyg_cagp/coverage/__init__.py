r"""The entity x relation evidence index."""

from pyg_cagp.coverage.builder import CoverageBuilder
from pyg_cagp.coverage.coverage import Coverage

classes = ["Coverage", "CoverageBuilder"]

__all__ = classes
