r"""The options that all Gaussian models share, for type checkers."""

from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from pyg_cagp.nn.kge.objective import Objective

#: The entities in the prior term of a batch.
Reduction: TypeAlias = Literal["occurrence", "dense"]

#: The form of the variances of an entity.
Covariance: TypeAlias = Literal["diagonal", "spherical"]

#: What is drawn in training: coordinates, scores, or nothing.
Noise: TypeAlias = Literal["coordinate", "score", "none"]


class GaussianOptions(TypedDict, total=False):
    r"""The options of :class:`~pyg_cagp.nn.kge.GaussianKGEModel`."""

    prior_variance: float
    learn_prior: bool
    kl_weight: float
    kl_reduction: Reduction
    n3: float
    covariance: Covariance
    noise: Noise
    objective: "Objective | None"
    variational: bool
    reciprocal: bool
    sparse: bool
