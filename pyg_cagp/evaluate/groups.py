r"""Groups of triples that are worth a row of their own."""

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import degree

from pyg_cagp.data import split_edges

#: How many answers the two sides of a relation usually have.
CATEGORIES = ("1-1", "1-N", "N-1", "N-N")


def relation_categories(kg: Data, threshold: float = 1.5) -> Tensor:
    r"""Returns the category of each relation, as in the `"Translating
    Embeddings for Modeling Multi-relational Data"
    <https://papers.nips.cc/paper/5071>`_ paper: a side is "N" if, in train,
    what stands on the other side goes with 1.5 entities or more on average.

    Args:
        kg (Data): The graph.
        threshold (float, optional): From how many on. (default: :obj:`1.5`)

    Returns:
        Places in :obj:`("1-1", "1-N", "N-1", "N-N")`; -1 for relations that
        train does not have.
    """
    (head, tail), rel = split_edges(kg, "train")
    triples = (head * kg.num_relations + rel) * kg.num_nodes + tail
    if kg.num_nodes**2 * kg.num_relations < 2**63:
        _, first = _first_of_each(triples)
        head, rel, tail = head[first], rel[first], tail[first]
    number = degree(rel, kg.num_relations, dtype=torch.double)
    many = []
    for given in (head, tail):
        query = (given * kg.num_relations + rel).unique() % kg.num_relations
        queries = degree(query, kg.num_relations, dtype=torch.double)
        many.append(number >= threshold * queries)
    # Many tails a head: 1-N; many heads a tail: N-1.
    found = many[0].long() + 2 * many[1].long()
    return torch.where(number > 0, found, -1)


def _first_of_each(values: Tensor) -> tuple[Tensor, Tensor]:
    ordered, order = values.sort(stable=True)
    fresh = torch.ones_like(ordered, dtype=torch.bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return ordered[fresh], order[fresh]


def equal_groups(values: Tensor, num_groups: int = 10) -> Tensor:
    r"""Parts values into groups as equal in size as ties allow, equal values
    always together, and returns the group of each.

    Args:
        values (torch.Tensor): The values.
        num_groups (int, optional): The largest number of groups.
            (default: :obj:`10`)

    Example:
        >>> equal_groups(torch.tensor([5, 1, 1, 9]), num_groups=2)
        tensor([1, 0, 0, 1])
    """
    num = values.numel()
    if num == 0:
        return values.long()
    steps = torch.arange(1, num_groups, device=values.device)
    last = (steps * num + num_groups - 1) // num_groups - 1
    edges = values.sort().values[last.clamp(min=0)]
    group = torch.bucketize(values, edges.unique())
    return group.unique(return_inverse=True)[1]
