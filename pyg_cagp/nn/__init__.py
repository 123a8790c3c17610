r"""Models, their posteriors, and their scores of all candidates."""

from pyg_cagp.nn import kge, posterior, scoring

__all__ = ["kge", "posterior", "scoring"]
