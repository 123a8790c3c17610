r"""Fewer points and fewer digits: a page has to be read, not computed with."""

import torch
from torch import Tensor

#: How many points of a kind a picture shows at most.
MAX_POINTS = 600


def thinned(kind: Tensor, most: int = MAX_POINTS, seed: int = 0) -> Tensor:
    r"""Returns the places of a few members of each kind, in the order they
    have.

    Example:
        >>> thinned(torch.tensor([0, 0, 0, 1]), most=1).numel()
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
    r"""Returns numbers with so many digits that count.

    Example:
        >>> rounded(torch.tensor([0.123456, 1234.56]), digits=3)
        [0.123, 1230.0]
    """
    return [float(f"{value:.{digits}g}") for value in values.tolist()]
