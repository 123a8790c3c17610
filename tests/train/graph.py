"""Random graphs of any size."""

import torch
from torch_geometric.data import Data

from tests.conftest import random_edges


def graph(num_nodes, num_train, *, num_relations=3, num_val=8):
    """A random graph without test triples."""
    num_edges = num_train + num_val
    edge_index, edge_type = random_edges(num_nodes, num_relations, num_edges)
    is_train = torch.arange(num_edges) < num_train
    return Data(
        edge_index=edge_index,
        edge_type=edge_type,
        train_mask=is_train,
        val_mask=~is_train,
        test_mask=torch.zeros(num_edges, dtype=torch.bool),
        num_nodes=num_nodes,
        num_relations=num_relations,
    )
