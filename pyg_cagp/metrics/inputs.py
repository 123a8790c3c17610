r"""Checks of the arguments of metrics.

The message of an error is one sentence that names the argument, the value that
was got and its position.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

#: One number for each sample.
Values: TypeAlias = Tensor | np.ndarray | Sequence[float]


def as_values(name: str, values: Values, finite: bool = False) -> Tensor:
    r"""Returns numbers as a vector of :obj:`torch.double`, on their device."""
    if not isinstance(values, Tensor):
        # PyTorch would read a list of floats in single precision.
        try:
            array = np.asarray(values)
        except ValueError as error:
            raise ValueError(f"'{name}' is not an array ({error})") from None
        if array.dtype.kind not in "biuf":
            raise ValueError(
                f"'{name}' must hold numbers (got an array of {array.dtype})"
            )
        values = torch.from_numpy(array.astype(np.float64))
    tensor = values.detach()
    if tensor.dim() != 1:
        raise ValueError(
            f"'{name}' must have one dimension (got shape {list(tensor.shape)})"
        )
    if tensor.numel() == 0:
        raise ValueError(f"'{name}' is empty")
    if tensor.is_complex():
        raise ValueError(f"'{name}' must be real (got {tensor.dtype})")
    tensor = tensor.double()
    if finite:
        check_rows(name, tensor, tensor.isfinite(), "hold finite numbers")
    else:
        check_rows(name, tensor, ~tensor.isnan(), "hold numbers")
    return tensor


def check_rows(name: str, values: Tensor, valid: Tensor, rule: str) -> None:
    r"""Checks that all values follow a rule; names the first that does not."""
    if not bool(valid.all()):
        row = int((~valid).nonzero()[0])
        raise ValueError(
            f"'{name}' must {rule} (got {values[row].item()} at position {row})"
        )


def as_bits(name: str, values: Values) -> Tensor:
    r"""Returns zeros and ones as a boolean vector."""
    tensor = as_values(name, values)
    valid = (tensor == 0) | (tensor == 1)
    check_rows(name, tensor, valid, "hold 0 and 1 only")
    return tensor.bool()


def as_probabilities(name: str, values: Values) -> Tensor:
    r"""Returns probabilities as a vector of :obj:`torch.double`."""
    tensor = as_values(name, values)
    valid = (tensor >= 0) & (tensor <= 1)
    check_rows(name, tensor, valid, "lie in [0, 1], as calibrated scores do")
    return tensor


def check_same_length(**tensors: Tensor) -> None:
    r"""Checks that all vectors have one length and one device."""
    (first_name, first), *others = tensors.items()
    for name, tensor in others:
        if tensor.numel() != first.numel():
            raise ValueError(
                f"'{first_name}' and '{name}' must have the same length (got "
                f"{first.numel()} and {tensor.numel()})"
            )
        if tensor.device != first.device:
            raise ValueError(
                f"'{first_name}' and '{name}' must be on the same device (got "
                f"{first.device} and {tensor.device})"
            )


def scores_and_labels(
    score: Values, label: Values, score_name: str = "score"
) -> tuple[Tensor, Tensor]:
    r"""Returns scores and labels; both classes must occur."""
    scores, labels = as_values(score_name, score), as_bits("label", label)
    check_same_length(**{score_name: scores, "label": labels})
    if bool((labels == labels[0]).all()):
        raise ValueError(
            f"'label' must have both classes (no {int(not labels[0])} among "
            f"{labels.numel()} labels)"
        )
    return scores, labels


def probabilities_and_labels(
    probability: Values, label: Values
) -> tuple[Tensor, Tensor]:
    r"""Returns probabilities and labels; one class may be missing."""
    p = as_probabilities("probability", probability)
    y = as_bits("label", label)
    check_same_length(probability=p, label=y)
    return p, y


def uncertainty_and_loss(
    uncertainty: Values, loss: Values
) -> tuple[Tensor, Tensor]:
    r"""Returns uncertainties, which may be infinite, and finite losses."""
    uncertain = as_values("uncertainty", uncertainty)
    losses = as_values("loss", loss, finite=True)
    check_same_length(uncertainty=uncertain, loss=losses)
    return uncertain, losses


def check_positive(name: str, value: int) -> None:
    r"""Checks that a number is a positive integer."""
    if value < 1 or value != int(value):
        raise ValueError(f"'{name}' must be a positive integer (got {value})")


def check_share(name: str, value: float, ends: str = "()") -> None:
    r"""Checks that a number is a share, between 0 and 1."""
    valid = 0 < value < 1
    valid |= value == 0 and ends[0] == "["
    valid |= value == 1 and ends[1] == "]"
    if not valid:
        raise ValueError(
            f"'{name}' must lie in {ends[0]}0, 1{ends[1]} (got {value})"
        )


def as_groups(name: str, values: Tensor | np.ndarray | Sequence) -> Tensor:
    r"""Returns group numbers as :obj:`torch.long`."""
    tensor = torch.as_tensor(values)
    if tensor.is_floating_point() or tensor.is_complex():
        raise ValueError(
            f"'{name}' must hold whole numbers (got {tensor.dtype})"
        )
    if tensor.dim() not in (1, 2):
        raise ValueError(
            f"'{name}' must have one or two dimensions (got shape "
            f"{list(tensor.shape)})"
        )
    return tensor.long()
