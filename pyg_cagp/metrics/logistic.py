r"""Logistic regression with non-negative slopes."""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import (
    binary_cross_entropy_with_logits as cross_entropy,
)

from pyg_cagp._utils.threads import one_blas_thread


def monotone_logistic(
    features: Tensor, labels: Tensor, *, ridge: float = 0.0
) -> tuple[Tensor, float]:
    r"""Fits a logistic regression whose slopes are not negative.

    .. math::
        \min_{w \geq 0, \, b} \; \frac{1}{n} \sum_i
        \ell(y_i, w^\top x_i + b) + \frac{\lambda}{2} \sum_j s_j^2 w_j^2

    with the cross-entropy :math:`\ell` and the spread :math:`s_j` of the
    :math:`j`-th feature. Labels are smoothed to :math:`(n_1 + 1) / (n_1 + 2)`
    and :math:`1 / (n_0 + 2)`, as in Platt, "Probabilistic Outputs for Support
    Vector Machines" (1999), so that slopes are finite. The problem is convex.

    Args:
        features (torch.Tensor): Of shape :obj:`[num_samples, num_features]`.
        labels (torch.Tensor): Bits, of shape :obj:`[num_samples]`.
        ridge (float, optional): The weight :math:`\lambda` of the penalty.
            (default: :obj:`0.0`)

    Returns:
        The slopes, as :obj:`torch.double` on the CPU, and the intercept.

    Example:
        >>> x = torch.tensor([[0.0], [1.0], [2.0], [3.0]])
        >>> slopes, _ = monotone_logistic(x, torch.tensor([0, 1, 0, 1]))
        >>> bool(slopes > 0)
        True
        >>> monotone_logistic(-x, torch.tensor([0, 1, 0, 1]))[0]
        tensor([0.], dtype=torch.float64)
    """
    from scipy.optimize import minimize

    x = features.detach().double().cpu()
    y = labels.detach().bool().cpu()
    positives, negatives = int(y.sum()), int((~y).sum())
    if not bool(x.isfinite().all()):
        raise ValueError("'features' must hold finite numbers")
    high, low = (positives + 1) / (positives + 2), 1 / (negatives + 2)
    target = torch.where(y, x.new_tensor(high), x.new_tensor(low))
    # The solver converges faster on standardised features. Constant features
    # are not divided by their spread, which is a rounding error.
    constant = x.amax(dim=0) == x.amin(dim=0)
    scale = torch.where(constant, 1, x.std(dim=0, correction=0))
    centre = torch.where(constant, x[0], x.mean(dim=0))
    x = (x - centre) / scale

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        slopes = torch.from_numpy(weights)
        logit = x @ slopes[:-1] + slopes[-1]
        error = torch.sigmoid(logit) - target
        value = cross_entropy(logit, target)
        value = value + ridge / 2 * slopes[:-1].square().sum()
        grad = torch.cat([error @ x, error.sum()[None]]) / target.numel()
        grad[:-1] += ridge * slopes[:-1]
        return float(value), grad.numpy()

    num = x.size(1)
    with one_blas_thread():
        solution = minimize(
            loss,
            np.zeros(num + 1),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0, None)] * num + [(None, None)],
            options={"gtol": 1e-10, "ftol": 1e-15, "maxiter": 1000},
        ).x
    slopes = torch.from_numpy(solution[:-1]) / scale
    return slopes, float(solution[-1]) - float(slopes @ centre)
