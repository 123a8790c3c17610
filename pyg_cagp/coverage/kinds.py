r"""The rule that separates emerging entities from novel contexts."""

import torch
from torch import Tensor

from pyg_cagp.coverage.coverage import Coverage

#: The names of the kinds, by number.
KINDS = ("id", "emerging", "novel")


def kind_of(
    coverage: Coverage,
    tau: float,
    head_index: Tensor,
    rel_type: Tensor,
    tail_index: Tensor,
    *,
    inclusive: bool = False,
    frequency: Tensor | None = None,
) -> Tensor:
    r"""Returns the kind of each triple: 0 for ID, 1 for emerging, 2 for novel;
    see :class:`~pyg_cagp.transforms.TemporalLikeOOD`.

    Args:
        coverage (Coverage): The coverage of the training triples.
        tau (float): The frequency below which an entity is emerging.
        head_index (torch.Tensor): The head indices.
        rel_type (torch.Tensor): The relation types.
        tail_index (torch.Tensor): The tail indices.
        inclusive (bool, optional): A frequency of exactly :obj:`tau` is
            also emerging. (default: :obj:`False`)
        frequency (torch.Tensor, optional): The frequency of each entity;
            :obj:`None` for that of the coverage. (default: :obj:`None`)

    Example:
        >>> edge_index, edge_type = torch.tensor([[0], [1]]), torch.tensor([0])
        >>> cov = Coverage.from_edges(edge_index, edge_type, 3, 2)
        >>> heads, rel = torch.tensor([0, 0, 2]), torch.tensor([0, 1, 0])
        >>> kind_of(cov, 1.0, heads, rel, torch.tensor([1, 1, 1]))
        tensor([0, 2, 1])
    """
    if frequency is None:
        frequency = coverage._frequency()
    rarest = torch.minimum(frequency[head_index], frequency[tail_index])
    emerging = rarest <= tau if inclusive else rarest < tau
    novel = coverage.missing(head_index, rel_type, tail_index) > 0
    return torch.where(emerging, 1, torch.where(novel, 2, 0))
