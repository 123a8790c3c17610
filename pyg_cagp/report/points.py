r"""Fewer points and fewer digits, for a page of a readable size."""

import torch
from torch import Tensor

#: The largest number of points of a kind in a figure.
MAX_POINTS = 600


def sample_points(
    kind: Tensor, most: int = MAX_POINTS, seed: int = 0
) -> Tensor:
    r"""Draws at most :obj:`most` positions of each kind, in ascending order.

    Example:
        >>> sample_points(torch.tensor([0, 0, 0, 1]), most=1).numel()
        2
    """
    generator = torch.Generator().manual_seed(seed)
    parts = []
    for number in kind.unique().tolist():
        members = (kind == number).nonzero().view(-1)
        order = torch.randperm(members.numel(), generator=generator)
        parts.append(members[order[:most]])
    return torch.cat(parts).sort().values


def rounded(values: Tensor, digits: int = 4) -> list[float]:
    r"""Returns numbers with the given count of significant digits.

    Example:
        >>> rounded(torch.tensor([0.123456, 1234.56]), digits=3)
        [0.123, 1230.0]
    """
    return [float(f"{value:.{digits}g}") for value in values.tolist()]
