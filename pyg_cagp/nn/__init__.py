r"""Models."""

from pyg_cagp.nn import kge

__all__ = ["kge"]
