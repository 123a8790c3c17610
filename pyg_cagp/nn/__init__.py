r"""Models."""

from pyg_cagp.nn import kge, posterior

__all__ = ["kge", "posterior"]
