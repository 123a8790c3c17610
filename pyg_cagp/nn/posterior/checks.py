r"""Checks of the tensors of a posterior, which may be untrusted."""

import math

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError


def check_posterior(
    mean: Tensor, log_variance: Tensor, prior_variance: float, frequency: Tensor
) -> None:
    r"""Raises an error if tensors do not form a posterior."""
    num_nodes, width = mean.shape
    shape, dtype = list(log_variance.shape), log_variance.dtype
    widths = ([num_nodes, 1], [num_nodes, width])
    if shape not in widths or not dtype.is_floating_point:
        raise InvalidInputError(
            f"'log_variance' must hold floats of shape {widths[0]} or "
            f"{widths[1]} (got {dtype} of {shape})"
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
    shape, dtype = list(frequency.shape), frequency.dtype
    is_counts = shape == [num_nodes] and dtype == torch.long
    if not is_counts or bool((frequency < 0).any()):
        raise InvalidInputError(
            f"'frequency' must hold {num_nodes} counts (got {dtype} of {shape})"
        )
