r"""Groups of relations and values, for the rows of results."""

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import degree, scatter

from pyg_cagp.data import AnswerIndex

#: The categories of relations: one or many heads, one or many tails.
CATEGORIES = ("1-1", "1-N", "N-1", "N-N")


def relation_categories(kg: Data, threshold: float = 1.5) -> Tensor:
    r"""Returns the category of each relation, as in the `"Translating
    Embeddings for Modeling Multi-relational Data"
    <https://papers.nips.cc/paper/5071>`_ paper: a side is "N" if training
    queries for it have 1.5 answers or more on average.

    Args:
        kg (Data): The graph.
        threshold (float, optional): The smallest mean number of answers of a
            side "N". (default: :obj:`1.5`)

    Returns:
        Indices into :obj:`("1-1", "1-N", "N-1", "N-N")`; -1 for relations
        without training triples.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> categories = relation_categories(load("synthetic"))
        >>> CATEGORIES[int(categories[0])]
        'N-N'
    """
    known = AnswerIndex.from_data(kg, "train")
    is_many = []
    for side in ("tail", "head"):
        _, rel, count = known.queries(side)
        queries = degree(rel, kg.num_relations, dtype=torch.double)
        number = scatter(count, rel, dim_size=kg.num_relations)
        is_many.append(number >= threshold * queries)
    # Many tails of a head: 1-N; many heads of a tail: N-1.
    category = is_many[0].long() + 2 * is_many[1].long()
    return torch.where(number > 0, category, -1)


def relation_labels(kg: Data) -> list[str]:
    r"""Returns a label for each relation: its name, or its number if the graph
    has no names. If names repeat, labels have both.
    """
    names = kg.get("relation_names")
    labels = [
        str(n) for n in (range(kg.num_relations) if names is None else names)
    ]
    if len(set(labels)) == len(labels):
        return labels
    return [f"{name} ({number})" for number, name in enumerate(labels)]


def equal_groups(values: Tensor, num_groups: int = 10) -> Tensor:
    r"""Splits values into groups of about equal size and returns the group of
    each. Equal values are in the same group.

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
