r"""Converts knowledge graphs of PyG to the one graph form."""

import copy
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, get_args

from torch import Tensor
from torch_geometric.data import Data, Dataset, HeteroData
from torch_geometric.datasets import FB15k_237

from pyg_cagp.data.folder import read_folder
from pyg_cagp.data.hetero import from_hetero
from pyg_cagp.data.kg import MASKS, check_kg, join_splits
from pyg_cagp.data.names import attach_names
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import Split


def as_kg(source: Any) -> Data:
    r"""Returns a knowledge graph as one :class:`~torch_geometric.data.Data`.

    The result has :obj:`edge_index` of shape :obj:`[2, E]`, :obj:`edge_type`,
    :obj:`train_mask`, :obj:`val_mask` and :obj:`test_mask` of shape
    :obj:`[E]`, :obj:`num_nodes`, :obj:`num_relations`, and optionally
    :obj:`edge_time`, :obj:`edge_confidence`, :obj:`node_names` and
    :obj:`relation_names`. The source is not changed.

    Args:
        source: One of

            * :class:`~torch_geometric.datasets.FB15k_237` (any split: all
              three are read from its root, without its transform),
            * :class:`~torch_geometric.datasets.WordNet18RR`, a dataset of
              :mod:`pyg_cagp.datasets` or another one with masks,
            * :class:`~torch_geometric.datasets.RelLinkPredDataset`, without
              its inverse edges,
            * three data objects or datasets: train, validation and test,
            * a :class:`~torch_geometric.data.HeteroData` with masks on its
              edge types,
            * a data object of one of these shapes, with
              :obj:`num_edge_types` or :obj:`num_relations`,
            * a folder or a file of triples (see :func:`read_folder`).

    Example:
        >>> train = Data(
        ...     edge_index=torch.tensor([[0, 1], [1, 2]]),
        ...     edge_type=torch.tensor([0, 1]),
        ...     num_nodes=4,
        ... )
        >>> held_out = Data(
        ...     edge_index=torch.tensor([[2], [3]]),
        ...     edge_type=torch.tensor([1]),
        ...     num_nodes=4,
        ... )
        >>> kg = as_kg((train, held_out, held_out))
        >>> kg.num_nodes, kg.num_relations, kg.train_mask.tolist()
        (4, 2, [True, True, False, False])
    """
    if isinstance(source, (str, Path)):
        return read_folder(source)
    if isinstance(source, Data):
        return _from_data(source)
    if isinstance(source, HeteroData):
        return from_hetero(source)
    if isinstance(source, Dataset):
        return _from_dataset(source)
    if isinstance(source, Sequence) and len(source) == 3:
        return _from_parts(source)
    raise InvalidInputError(
        f"'source' must be a PyG dataset, a Data or HeteroData object, a "
        f"sequence of three (train, validation, test) or a folder (got "
        f"{type(source).__name__})"
    )


def _from_dataset(dataset: Dataset) -> Data:
    if isinstance(dataset, FB15k_237):
        # A dataset object holds one split; the files of all are listed.
        parts = []
        for path in dataset.processed_paths:
            part = copy.copy(dataset)
            part.load(path)
            parts.append(part.get(0))
        return attach_names(_from_parts(parts), dataset)
    if len(dataset) != 1:
        raise InvalidInputError(
            f"'source' must hold one graph (got {len(dataset)} of them)"
        )
    return attach_names(as_kg(dataset[0]), dataset)


def _from_data(data: Data) -> Data:
    if "train_edge_index" in data:
        return _from_rel_link_pred(data)
    if any(mask not in data for mask in MASKS):
        raise InvalidInputError(
            "'source' is a Data object without train_mask, val_mask and "
            "test_mask; pass all three splits as (train, val, test)"
        )
    data = copy.copy(data)
    if isinstance(data.get("edge_type"), Tensor):
        if data.get("num_relations") is None:
            data.num_relations = _num_relations([data])
        # The property of this name in PyG counts the types that occur.
        data._store.pop("num_edge_types", None)
        if data.get("num_nodes") is None and data.get("edge_index") is not None:
            index = data.edge_index
            data.num_nodes = int(index.max()) + 1 if index.numel() else 0
    return check_kg(data)


def _from_parts(parts: Sequence[Any]) -> Data:
    splits = {}
    for name, part in zip(get_args(Split), parts, strict=True):
        part = part[0] if isinstance(part, Dataset) else part
        if not isinstance(part, Data):
            raise InvalidInputError(
                f"'source' must hold Data objects (got "
                f"{type(part).__name__} as '{name}')"
            )
        if not isinstance(part.get("edge_type"), Tensor):
            raise InvalidInputError(f"split '{name}' has no 'edge_type'")
        splits[name] = part
    # A split may lack some entities and relations, so both numbers are the
    # largest of all three splits.
    keys = "node_names", "relation_names", "time_unit"
    return join_splits(
        splits,
        num_nodes=max(int(part.num_nodes or 0) for part in splits.values()),
        num_relations=_num_relations(splits.values()),
        **{key: splits["train"].get(key) for key in keys},
    )


def _from_rel_link_pred(data: Data) -> Data:
    split_names = {"train": "train", "val": "valid", "test": "test"}
    splits = {
        split: Data(
            edge_index=data[f"{name}_edge_index"],
            edge_type=data[f"{name}_edge_type"],
        )
        for split, name in split_names.items()
    }
    # The second half of `edge_index` are inverse edges whose type is shifted
    # by the number of relations.
    half = data.train_edge_type.numel()
    shift = data.edge_type[half:] - data.edge_type[:half]
    num = int(shift[0]) if half else _num_relations(splits.values())
    return join_splits(splits, num_nodes=data.num_nodes, num_relations=num)


def _num_relations(parts: Iterable[Data]) -> int:
    r"""Returns the largest number that a part states or uses."""
    return max(
        int(number or 0)
        for part in parts
        for number in (
            part.get("num_relations"),
            part.get("num_edge_types"),
            part.edge_type.max() + 1 if part.edge_type.numel() else 0,
        )
    )
