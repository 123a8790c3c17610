r"""Posteriors over the embeddings of entities."""

from pyg_cagp.nn.posterior.curvature import ggn_diagonal
from pyg_cagp.nn.posterior.laplace import LaplacePosterior
from pyg_cagp.nn.posterior.posterior import Posterior
from pyg_cagp.nn.posterior.trained import TrainedPosterior
from pyg_cagp.nn.posterior.variational import VariationalPosterior

classes = [
    "Posterior",
    "TrainedPosterior",
    "VariationalPosterior",
    "LaplacePosterior",
]
functions = ["ggn_diagonal"]

__all__ = classes + functions
