r"""Groups of triples that are worth a row of their own."""

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import degree, scatter

from pyg_cagp.data import AnswerIndex, TripleIndex, triples

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

    Example:
        >>> from pyg_cagp.datasets import load
        >>> categories = relation_categories(load("synthetic"))
        >>> CATEGORIES[int(categories[0])]
        'N-N'
    """
    known = AnswerIndex.from_data(kg, "train")
    many = []
    for side in ("tail", "head"):
        _, rel, count = known.queries(side)
        queries = degree(rel, kg.num_relations, dtype=torch.double)
        number = scatter(count, rel, dim_size=kg.num_relations)
        many.append(number >= threshold * queries)
    # Many tails a head: 1-N; many heads a tail: N-1.
    found = many[0].long() + 2 * many[1].long()
    return torch.where(number > 0, found, -1)


#: Whether train repeats a triple, links its entities in another way, or not.
LINKS = ("repeated", "linked", "new")


def link_groups(kg: Data, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
    r"""Returns the group of each triple by what training holds of it:
    :obj:`"repeated"`, the same triple; :obj:`"linked"`, another triple between
    both entities, in another relation or in the other direction;
    :obj:`"new"`, no triple between them.

    Args:
        kg (Data): The graph.
        head (torch.Tensor): The head indices.
        rel (torch.Tensor): The relation types.
        tail (torch.Tensor): The tail indices.

    Returns:
        Indices into :obj:`("repeated", "linked", "new")`.
    """
    known_head, known_rel, known_tail = (
        part.to(head.device) for part in triples(kg, "train")
    )
    forward, backward = (
        start * kg.num_nodes + end
        for start, end in ((known_head, known_tail), (known_tail, known_head))
    )
    pair = head * kg.num_nodes + tail
    linked = torch.isin(pair, torch.cat([forward, backward]))
    known = TripleIndex(
        known_head, known_rel, known_tail, kg.num_nodes, kg.num_relations
    )
    repeated = known.contains(head, rel, tail)
    return torch.where(repeated, 0, torch.where(linked, 1, 2))


def relation_labels(kg: Data) -> list[str]:
    r"""Returns one label for each relation: its name, or its number where it
    has none or shares it.
    """
    names = kg.get("relation_names")
    labels = [
        str(n) for n in (range(kg.num_relations) if names is None else names)
    ]
    if len(set(labels)) == len(labels):
        return labels
    return [f"{name} ({number})" for number, name in enumerate(labels)]


def equal_groups(values: Tensor, num_groups: int = 10) -> Tensor:
    r"""Parts values into groups as equal in size as ties allow, equal values
    always together, and returns the group of each.

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
