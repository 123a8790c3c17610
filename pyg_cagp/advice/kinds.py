r"""What kind of triple one is, as far as a run can tell."""

import torch
from torch import Tensor

from pyg_cagp.coverage import Coverage

#: The kinds, by number. The first three are those of
#: :class:`~pyg_cagp.transforms.TemporalLikeOOD`.
KINDS = (
    "ordinary",
    "emerging",
    "novel context",
    "unknown entity",
    "unknown relation",
)
UNKNOWN_ENTITY, UNKNOWN_RELATION = 3, 4


def kinds_of(
    coverage: Coverage, tau: float, head: Tensor, rel: Tensor, tail: Tensor
) -> Tensor:
    r"""Returns the kind of each triple, by the rule of
    :class:`~pyg_cagp.transforms.TemporalLikeOOD`; an id of -1 is unknown.

    Where an entity is unknown and the relation is too, it is the entity that
    is told of.

    Args:
        coverage (Coverage): The coverage of what was seen.
        tau (float): Entities in fewer slots than this are emerging.
        head (torch.Tensor): The head indices.
        rel (torch.Tensor): The relation types.
        tail (torch.Tensor): The tail indices.

    Example:
        >>> edge_index, edge_type = torch.tensor([[0], [1]]), torch.tensor([0])
        >>> cov = Coverage.from_edges(edge_index, edge_type, 3, 2)
        >>> heads, rel = torch.tensor([0, 0, 2]), torch.tensor([0, 1, 0])
        >>> kinds_of(cov, 1.0, heads, rel, torch.tensor([1, 1, 1]))
        tensor([0, 2, 1])
    """
    kind = torch.zeros_like(rel)
    kind[rel < 0] = UNKNOWN_RELATION
    kind[(head < 0) | (tail < 0)] = UNKNOWN_ENTITY
    known = kind == 0
    triples = head[known], rel[known], tail[known]
    frequency = coverage.frequency()
    rarest = torch.minimum(frequency[triples[0]], frequency[triples[2]])
    novel = torch.where(coverage.missing(*triples) > 0, 2, 0)
    kind[known] = torch.where(rarest < tau, 1, novel)
    return kind
