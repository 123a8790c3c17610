r"""Knowledge-graph embedding models with Gaussian entities."""

from pyg_cagp.nn.kge.base import GaussianKGEModel
from pyg_cagp.nn.kge.beurre import BEUrRE
from pyg_cagp.nn.kge.bilinear import BilinearKGEModel
from pyg_cagp.nn.kge.complex import GaussianComplEx
from pyg_cagp.nn.kge.confidence import ConfidenceKGEModel
from pyg_cagp.nn.kge.distmult import GaussianDistMult
from pyg_cagp.nn.kge.kg2e import KG2E
from pyg_cagp.nn.kge.kvsall import KvsAll, QueryBatch
from pyg_cagp.nn.kge.objective import Objective, OneNegative, bernoulli_rates
from pyg_cagp.nn.kge.prior import GaussianPrior
from pyg_cagp.nn.kge.query import QueryKGEModel
from pyg_cagp.nn.kge.rotate import GaussianRotatE
from pyg_cagp.nn.kge.sngp import SNGPModel
from pyg_cagp.nn.kge.softmax import SampledSoftmax, SelfAdversarial
from pyg_cagp.nn.kge.transe import GaussianTransE
from pyg_cagp.nn.kge.ukge import UKGE

classes = [
    "QueryKGEModel",
    "GaussianKGEModel",
    "GaussianPrior",
    "BilinearKGEModel",
    "GaussianDistMult",
    "GaussianComplEx",
    "GaussianTransE",
    "GaussianRotatE",
    "KG2E",
    "ConfidenceKGEModel",
    "UKGE",
    "BEUrRE",
    "SNGPModel",
    "Objective",
    "OneNegative",
    "SampledSoftmax",
    "SelfAdversarial",
    "KvsAll",
    "QueryBatch",
]
functions = ["bernoulli_rates"]

__all__ = classes + functions
