r"""The clusters that the bootstrap draws."""

from typing import get_args

import torch
from torch import Tensor

from pyg_cagp.typing import Cluster

#: The kinds of cluster.
CLUSTERS = get_args(Cluster)


def clusters(
    head_index: Tensor,
    rel_type: Tensor,
    tail_index: Tensor,
    by: Cluster | None,
) -> Tensor | None:
    r"""Returns the cluster of each triple: triples that share an entity are
    not independent.

    Args:
        head_index (torch.Tensor): The head indices.
        rel_type (torch.Tensor): The relation types.
        tail_index (torch.Tensor): The tail indices.
        by (str, optional): :obj:`"head"`, :obj:`"tail"`, :obj:`"query"` (head
            and relation) or :obj:`"entities"` (both ends at once, in two rows);
            :obj:`None` for none.

    Example:
        >>> head, rel, tail = torch.tensor([[0, 0, 1], [0, 0, 1], [2, 3, 3]])
        >>> clusters(head, rel, tail, "query")
        tensor([0, 0, 3])
    """
    if by is None:
        return None
    if by == "entities":
        return torch.stack([head_index, tail_index])
    if by == "query":
        return head_index * (int(rel_type.max()) + 1) + rel_type
    return head_index if by == "head" else tail_index
