r"""Adds names from the raw files to datasets of PyG."""

from itertools import chain
from pathlib import Path

import torch
from torch_geometric.data import Data, Dataset
from torch_geometric.datasets import FB15k_237, WordNet18RR

from pyg_cagp.data.columns import encode, number, number_names
from pyg_cagp.data.reader import read_table


def attach_names(data: Data, dataset: Dataset) -> Data:
    r"""Adds :obj:`node_names` and :obj:`relation_names` to datasets of PyG.

    Names of FB15k-237 and WN18RR are numbered in the order of PyG. They are
    added only if the edges with these numbers equal those of the dataset.
    """
    is_pyg = isinstance(dataset, (FB15k_237, WordNet18RR))
    if "node_names" in data or not is_pyg:
        return data
    paths = [Path(path) for path in dataset.raw_paths]
    if not all(path.exists() for path in paths):
        return data
    tables = [read_table(path) for path in paths]
    if isinstance(dataset, FB15k_237):
        entities, relations = number_names(tables)
    else:
        # All heads of a file come before its tails.
        entities = number(chain(*((*t.head, *t.tail) for t in tables)))
        relations = dict(dataset.edge2id)
    edges = [encode(table, entities, relations) for table in tables]
    edge_index = torch.cat([index for index, _ in edges], dim=1)
    edge_type = torch.cat([kind for _, kind in edges])
    if _same_edges(data, edge_index, edge_type, len(entities)):
        # WordNet18RR has a fixed table of relations, used or not.
        data.num_relations = max(data.num_relations, len(relations))
        data.node_names = list(entities)
        data.relation_names = sorted(relations, key=relations.__getitem__)
    return data


def _same_edges(
    data: Data, edge_index: torch.Tensor, edge_type: torch.Tensor, size: int
) -> bool:
    # WordNet18RR sorts its edges, so both lists are sorted for the comparison.
    if size != data.num_nodes or edge_type.numel() != data.edge_type.numel():
        return False
    keys = [
        ((head * size + tail) * data.num_relations + rel).cpu().sort().values
        for (head, tail), rel in (
            (edge_index, edge_type),
            (data.edge_index, data.edge_type),
        )
    ]
    return torch.equal(*keys)
