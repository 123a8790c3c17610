r"""Knowledge-graph embedding models with Gaussian entities."""

from pyg_cagp.nn.kge.base import GaussianKGEModel
from pyg_cagp.nn.kge.bilinear import BilinearKGEModel
from pyg_cagp.nn.kge.complex import GaussianComplEx
from pyg_cagp.nn.kge.distmult import GaussianDistMult
from pyg_cagp.nn.kge.objective import Objective, OneNegative, SampledSoftmax
from pyg_cagp.nn.kge.rotate import GaussianRotatE
from pyg_cagp.nn.kge.transe import GaussianTransE

classes = [
    "GaussianKGEModel",
    "BilinearKGEModel",
    "GaussianDistMult",
    "GaussianComplEx",
    "GaussianTransE",
    "GaussianRotatE",
    "Objective",
    "SampledSoftmax",
    "OneNegative",
]

__all__ = classes
