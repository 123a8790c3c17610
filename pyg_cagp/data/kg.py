r"""The one form in which :mod:`pyg_cagp` holds a knowledge graph."""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp.data.checks import check_edges
from pyg_cagp.exceptions import InvalidInputError

#: The masks of the three splits, in their order.
MASKS = ("train_mask", "val_mask", "test_mask")


def join_splits(
    splits: Mapping[str, Data],
    num_nodes: int,
    num_relations: int,
    **attributes: object,
) -> Data:
    r"""Joins separate splits with shared ids into one graph with masks.

    Args:
        splits (mapping): The data objects of :obj:`"train"`, :obj:`"val"` and
            :obj:`"test"`, each with :obj:`edge_index` and :obj:`edge_type`.
            Further edge attributes are joined where all splits have them.
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.
        **attributes (optional): Further attributes of the graph.
    """
    parts = [splits[name] for name in ("train", "val", "test")]
    data = Data(
        edge_index=torch.cat([p.edge_index for p in parts], dim=1),
        edge_type=torch.cat([p.edge_type for p in parts]),
    )
    sizes = [p.edge_type.numel() for p in parts]
    which = torch.repeat_interleave(torch.arange(3), torch.tensor(sizes)).to(
        data.edge_index.device
    )
    for number, mask in enumerate(MASKS):
        data[mask] = which == number
    for key in ("edge_time", "edge_confidence"):
        if all(key in part for part in parts):
            data[key] = torch.cat([part[key] for part in parts])
    data.num_nodes = num_nodes
    data.num_relations = num_relations
    for key, value in attributes.items():
        if value is not None:
            data[key] = value
    return check_kg(data)


def check_kg(data: Data) -> Data:
    r"""Checks that a data object is a knowledge graph in our form.

    Args:
        data (torch_geometric.data.Data): The graph.
    """
    for key in ("edge_index", "edge_type", *MASKS, "num_relations"):
        if key not in data:
            raise InvalidInputError(
                f"'data' has no '{key}'; pass it through "
                f"pyg_cagp.data.as_kg first"
            )
    check_edges(
        data.edge_index, data.edge_type, data.num_nodes, data.num_relations
    )
    masks = [data[mask] for mask in MASKS]
    num_edges = data.edge_type.numel()
    for name, mask in zip(MASKS, masks, strict=True):
        if mask.dtype != torch.bool or mask.shape != (num_edges,):
            raise InvalidInputError(
                f"'data.{name}' must be a boolean mask of shape [{num_edges}] "
                f"(got {mask.dtype} of shape {list(mask.shape)})"
            )
    double = sum(mask.int() for mask in masks) > 1
    if bool(double.any()):
        raise InvalidInputError(
            f"an edge can be in one split only (edge "
            f"{int(double.nonzero()[0])} is in two)"
        )
    for key, size in (
        ("node_names", data.num_nodes),
        ("relation_names", data.num_relations),
        ("edge_time", num_edges),
        ("edge_confidence", num_edges),
    ):
        if key in data and len(data[key]) != size:
            raise InvalidInputError(
                f"'data.{key}' must have {size} entries (got {len(data[key])})"
            )
    return data


def split_edges(data: Data, split: str) -> tuple[Tensor, Tensor]:
    r"""Returns :obj:`edge_index` and :obj:`edge_type` of one split.

    Args:
        data (torch_geometric.data.Data): The graph.
        split (str): :obj:`"train"`, :obj:`"val"` or :obj:`"test"`.
    """
    mask = data[f"{split}_mask"]
    return data.edge_index[:, mask], data.edge_type[mask]
