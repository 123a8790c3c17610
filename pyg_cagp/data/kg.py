r"""The one graph form: its checks, its splits and its triples."""

from collections.abc import Mapping
from typing import get_args

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice, check_edges
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import Split

#: The masks of the three splits, in their order.
MASKS = ("train_mask", "val_mask", "test_mask")

#: Attributes that depend on the splits and are removed with them.
_NEGATIVES = ("val_neg", "test_neg", "corrupt")
SPLIT_BOUND = (
    *("ood_type", "ood_tau", "ood_label", "is_repeat", "time_cut", "truth"),
    *(f"{name}_edge_{key}" for name in _NEGATIVES for key in ("index", "type")),
    "corrupt_source",
)


def join_splits(
    splits: Mapping[str, Data],
    num_nodes: int,
    num_relations: int,
    **attributes: object,
) -> Data:
    r"""Joins separate splits with shared ids into one graph with masks.

    Args:
        splits (mapping): The data objects of :obj:`"train"`, :obj:`"val"` and
            :obj:`"test"`. Tensors :obj:`edge_*` with one entry an edge are
            joined if all splits have them.
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.
        **attributes (optional): Further attributes of the graph.
    """
    parts = [splits[name] for name in get_args(Split)]
    for name, part in zip(get_args(Split), parts, strict=True):
        for key in ("edge_index", "edge_type"):
            if not isinstance(part.get(key), Tensor):
                raise InvalidInputError(f"split '{name}' has no '{key}'")
    data = Data(
        edge_index=torch.cat([p.edge_index for p in parts], dim=1),
        edge_type=torch.cat([p.edge_type for p in parts]),
    )
    sizes = [p.edge_type.numel() for p in parts]
    split = torch.repeat_interleave(torch.tensor(sizes))
    for number, mask in enumerate(MASKS):
        data[mask] = (split == number).to(data.edge_index.device)
    for key in parts[0].to_dict():
        if key.startswith("edge_") and key not in data:
            values = [part.get(key) for part in parts]
            if all(
                isinstance(value, Tensor) and value.shape[:1] == (size,)
                for value, size in zip(values, sizes, strict=True)
            ):
                data[key] = torch.cat(values)
    data.num_nodes, data.num_relations = num_nodes, num_relations
    present = {k: v for k, v in attributes.items() if v is not None}
    return check_kg(data.update(present))


def check_kg(data: Data) -> Data:
    r"""Checks that a data object has the one graph form, and converts its ids
    to :obj:`torch.long`.

    Args:
        data (torch_geometric.data.Data): The graph.
    """
    for key in ("edge_index", "edge_type", *MASKS, "num_relations"):
        if data.get(key) is None:
            raise InvalidInputError(
                f"'data' has no '{key}'; pass it through pyg_cagp.data.as_kg"
            )
    sizes = data.num_nodes, data.num_relations
    head, rel, tail = check_edges(data.edge_index, data.edge_type, *sizes)
    data.edge_index, data.edge_type = torch.stack([head, tail]), rel
    num_edges = data.edge_type.numel()
    for name in MASKS:
        mask = data[name]
        if mask.dtype != torch.bool or mask.shape != (num_edges,):
            raise InvalidInputError(
                f"'data.{name}' must be a boolean mask of shape [{num_edges}] "
                f"(got {mask.dtype} of shape {list(mask.shape)})"
            )
    double = (sum(data[name].int() for name in MASKS) > 1).nonzero()
    if double.numel():
        raise InvalidInputError(
            f"'data' must have each edge in one split only (edge "
            f"{int(double[0])} is in two)"
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


def triples(
    data: Data, split: Split | Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Returns the heads, relations and tails of a split, in the order of the
    arguments of models and estimators.

    Args:
        data (torch_geometric.data.Data): The graph, in the one graph form.
        split (str or torch.Tensor, optional): A split, a mask of edges, or
            :obj:`None` for all triples. (default: :obj:`None`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> h, r, t = triples(load("synthetic"), "test")
        >>> h.shape == r.shape == t.shape
        True
    """
    if split is None:
        head, tail = data.edge_index
        return head, data.edge_type, tail
    if not isinstance(split, Tensor):
        check_choice("split", split, Split)
        split = data[f"{split}_mask"]
    head, tail = data.edge_index[:, split]
    return head, data.edge_type[split], tail
