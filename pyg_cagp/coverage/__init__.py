r"""The entity x relation evidence index."""

from pyg_cagp.coverage.builder import CoverageBuilder
from pyg_cagp.coverage.coverage import Coverage
from pyg_cagp.coverage.kinds import kind_of

classes = ["Coverage", "CoverageBuilder"]
functions = ["kind_of"]

__all__ = classes + functions
