r"""Dense cores of a graph, on which configs are compared in little time."""

from operator import ge
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_least
from pyg_cagp.data import as_kg
from pyg_cagp.data.kg import MASKS

#: The edge attributes that a core keeps, beside types and masks.
EDGE_VALUES = ("edge_time", "edge_confidence")


def k_core(kg: Any, k: int) -> Data:
    r"""Returns the :math:`k`-core of a graph: the largest part of it in which
    each entity has at least :math:`k` training triples, as in the `"Start
    Small, Think Big: On Hyperparameter Optimization for Large-Scale Knowledge
    Graph Embeddings" <https://arxiv.org/abs/2207.04979>`_ paper.

    Validation and test triples are kept if both entities are. A training triple
    with the same entity on both sides counts twice. Entities and relations are
    numbered anew, in the order of their ids.

    Args:
        kg (Data or Any): The graph; see :func:`~pyg_cagp.data.as_kg`.
        k (int): The least number of training triples of an entity.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> core = k_core(load("synthetic"), 18)
        >>> core.num_nodes
        328
    """
    check_least("k", k, 0)
    kg = as_kg(kg)
    inside = core_entities(kg, k)
    return _part(kg, inside, inside[kg.edge_index].all(dim=0))


def core_entities(kg: Data, k: int) -> Tensor:
    r"""Returns which entities are in the :math:`k`-core, as a mask."""
    head, tail = kg.edge_index[:, kg.train_mask]
    inside = torch.ones(kg.num_nodes, dtype=torch.bool, device=head.device)
    while True:
        slots = torch.cat([head, tail])
        degree = torch.bincount(slots, minlength=kg.num_nodes)
        # Removing an entity removes triples of others, until none is removed.
        smaller = inside & (degree >= k)
        if torch.equal(smaller, inside):
            return inside
        inside = smaller
        rest = inside[head] & inside[tail]
        head, tail = head[rest], tail[rest]


def find_k(kg: Data, share: float, *, num_nodes: int, num_val: int) -> int:
    r"""Returns the :math:`k` of the smallest core with at least a share of the
    training triples, and numbers of entities and validation triples.
    """
    least = (
        share * int(kg.train_mask.sum()),
        min(num_val, int(kg.val_mask.sum())),
        min(num_nodes, int(kg.num_nodes)),
    )

    def suffices(k: int) -> bool:
        inside = core_entities(kg, k)
        both = inside[kg.edge_index].all(dim=0)
        sizes = [int((both & kg[mask]).sum()) for mask in MASKS[:2]]
        return all(map(ge, [*sizes, int(inside.sum())], least))

    # The 0-core is the graph; no core is larger than one with a smaller k.
    low, high = 0, 2 * int(kg.train_mask.sum()) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if suffices(middle) else (low, middle)
    return low


def _part(kg: Data, nodes: Tensor, edges: Tensor) -> Data:
    r"""Returns the part of a graph with some entities and triples."""
    relations = torch.zeros(
        kg.num_relations, dtype=torch.bool, device=edges.device
    )
    relations[kg.edge_type[edges]] = True
    new_node, new_relation = nodes.cumsum(0) - 1, relations.cumsum(0) - 1
    values = {
        key: kg[key][edges]
        for key in (*MASKS, *EDGE_VALUES)
        if isinstance(kg.get(key), Tensor)
    }
    for key, chosen in (("node_names", nodes), ("relation_names", relations)):
        if kg.get(key) is not None:
            rows = chosen.nonzero().view(-1).tolist()
            values[key] = [kg[key][row] for row in rows]
    return Data(
        edge_index=new_node[kg.edge_index[:, edges]],
        edge_type=new_relation[kg.edge_type[edges]],
        num_nodes=int(nodes.sum()),
        num_relations=int(relations.sum()),
        **values,
    )
