r"""Checks of posteriors, whose tensors may come from a stranger."""

import math

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError


def check_posterior(
    mean: Tensor, log_variance: Tensor, prior_variance: float, frequency: Tensor
) -> None:
    r"""Raises an error if tensors do not make a posterior.

    Args:
        mean (torch.Tensor): The means.
        log_variance (torch.Tensor): The logarithms of the variances.
        prior_variance (float): The variance of the prior.
        frequency (torch.Tensor): In how many training slots each entity
            stands.
    """
    num_nodes, width = mean.shape
    if (
        log_variance.shape not in ((num_nodes, 1), (num_nodes, width))
        or not log_variance.is_floating_point()
    ):
        raise InvalidInputError(
            f"'log_variance' must hold floats of shape [{num_nodes}, 1] or "
            f"[{num_nodes}, {width}] (got {log_variance.dtype} of "
            f"{list(log_variance.shape)})"
        )
    variance = log_variance.exp()
    wrong = ~(variance.isfinite() & (variance > 0)).all(dim=1)
    if bool(wrong.any()):
        row = int(wrong.nonzero()[0])
        raise InvalidInputError(
            f"variances must be positive and finite (got "
            f"{variance[row].tolist()[:3]} in row {row} of 'log_variance')"
        )
    if not 0 < prior_variance < math.inf:
        raise InvalidInputError(
            f"'prior_variance' must be positive and finite (got "
            f"{prior_variance})"
        )
    if (
        frequency.shape != (num_nodes,)
        or frequency.dtype != torch.long
        or bool((frequency < 0).any())
    ):
        raise InvalidInputError(
            f"'frequency' must hold {num_nodes} counts (got {frequency.dtype} "
            f"of {list(frequency.shape)})"
        )


def check_means(own: Tensor, other: Tensor) -> None:
    r"""Raises an error if a model has other means than a posterior.

    Args:
        own (torch.Tensor): The means of the posterior.
        other (torch.Tensor): The means of the model.
    """
    if own.shape != other.shape:
        raise InvalidInputError(
            f"'posterior' is one of embeddings of shape {list(own.shape)} (the "
            f"model has {list(other.shape)})"
        )
    if own is not other and not torch.equal(own.to(other), other):
        raise InvalidInputError(
            "'posterior' was fitted to a model with other embeddings; fit one "
            "to this model"
        )
