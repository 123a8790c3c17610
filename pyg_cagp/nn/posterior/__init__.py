r"""How sure a trained model is of each entity."""

from pyg_cagp.nn.posterior.curvature import ggn_diagonal
from pyg_cagp.nn.posterior.laplace import LaplacePosterior
from pyg_cagp.nn.posterior.posterior import Posterior, VariationalPosterior
from pyg_cagp.nn.posterior.update import update_posterior

classes = ["Posterior", "VariationalPosterior", "LaplacePosterior"]
functions = ["ggn_diagonal", "update_posterior"]

__all__ = classes + functions
