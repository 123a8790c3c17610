r"""The prior of Gaussian entities, and divergences from it."""

import math

import torch
from torch import Tensor
from torch.nn import Module, Parameter

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.options import Reduction


class GaussianPrior(Module):
    r"""A spherical Gaussian :math:`\mathcal{N}(\mathbf{0}, \sigma_0^2
    \mathbf{I})` over the embeddings of entities.

    Args:
        variance (float): The variance :math:`\sigma_0^2`.
        learn (bool, optional): If set to :obj:`True`, the variance is a
            parameter that training fits (empirical Bayes).
            (default: :obj:`False`)
        reduction (str, optional): The prior term of a mini-batch. With
            :obj:`"occurrence"`, each occurrence of an entity with :math:`f`
            training slots is charged :math:`1 / f` of the entity's divergence,
            an unbiased estimate of the evidence lower bound. With
            :obj:`"dense"`, each step is charged the mean over all entities, as
            in the paper. (default: :obj:`"occurrence"`)
    """

    log_variance: Tensor

    def __init__(
        self,
        variance: float,
        *,
        learn: bool = False,
        reduction: Reduction = "occurrence",
    ) -> None:
        super().__init__()
        if not (variance > 0 and math.isfinite(variance)):
            raise InvalidInputError(
                f"'prior_variance' must be positive and finite (got {variance})"
            )
        check_choice("kl_reduction", reduction, Reduction)
        self.start = float(variance)
        self.learn = learn
        self.reduction = reduction
        # A fixed variance is a buffer, since optimisers update parameters.
        log_variance = torch.tensor(math.log(self.start))
        if learn:
            self.log_variance = Parameter(log_variance)
        else:
            self.register_buffer("log_variance", log_variance)

    def reset_parameters(self) -> None:
        r"""Resets the variance to its initial value."""
        with torch.no_grad():
            self.log_variance.fill_(math.log(self.start))

    @property
    def variance(self) -> Tensor:
        r"""The variance of each dimension."""
        return self.log_variance.exp()

    def divergence(self, mean: Tensor, log_var: Tensor | None) -> Tensor:
        r"""Returns the divergence of posteriors from the prior.

        .. math::
            \textrm{KL}(q_i \| p) = \frac{1}{2} \sum_j \left(
            \frac{\exp \ell_{ij} + \mu_{ij}^2}{\sigma_0^2} - 1 - \ell_{ij} +
            \log \sigma_0^2 \right),

        or, for points, the negative logarithm of the prior's density up to a
        constant, :math:`\frac{1}{2} \sum_j \mu_{ij}^2 / \sigma_0^2`.

        Args:
            mean (torch.Tensor): The means, of shape :obj:`[..., channels]`.
            log_var (torch.Tensor, optional): The logarithms of variances, of
                the same shape; :obj:`None` for points.
        """
        if log_var is None:
            return 0.5 * (mean.square() / self.variance).sum(dim=-1)
        ratio = (log_var.exp() + mean.square()) / self.variance
        return 0.5 * (ratio - 1 - log_var + self.log_variance).sum(dim=-1)

    def extra_repr(self) -> str:
        r"""Describes the prior in one line."""
        return f"variance={float(self.variance):g}, learn={self.learn}"
