r"""Models that say how far they should be trusted, fast enough to be served."""

from pyg_cagp.serving.served_model import ScoreWithDoubt, ServedModel

classes = ["ServedModel", "ScoreWithDoubt"]

__all__ = classes
