r"""Checks of ids, sizes and options.

The message of an error is one sentence that names the argument, the value that
was got and, where there is one, the remedy.
"""

from collections.abc import Sequence
from numbers import Integral
from operator import lt
from typing import Any, get_args

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError

_ID_DTYPES = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def check_ids(name: str, ids: Tensor, size: int, size_name: str) -> Tensor:
    r"""Returns :obj:`ids` as :obj:`torch.long` after checking their range."""
    ids = _as_ids(name, ids)
    if ids.numel() == 0:
        return ids
    # One transfer from the device.
    low, high = torch.stack(torch.aminmax(ids)).tolist()
    if low < 0 or high >= size:
        flat = ids.reshape(-1)
        row = int(((flat < 0) | (flat >= size)).nonzero()[0])
        raise InvalidInputError(
            f"'{name}' must lie in [0, {size}) (got {int(flat[row])} at "
            f"position {row}); raise '{size_name}' (now {size}) if the id is "
            f"correct"
        )
    return ids


def _as_ids(name: str, ids: Tensor) -> Tensor:
    if isinstance(ids, Tensor) and ids.dtype is torch.int64:
        return ids
    if not isinstance(ids, Tensor):
        raise InvalidInputError(
            f"'{name}' must be a torch.Tensor (got {type(ids).__name__})"
        )
    if ids.dtype not in _ID_DTYPES:
        raise InvalidInputError(
            f"'{name}' must hold integer ids (got {ids.dtype}); convert it "
            f"with '{name}.long()' if its values are whole numbers"
        )
    return ids.long()


def check_triples(
    head_index: Tensor,
    rel_type: Tensor,
    tail_index: Tensor,
    num_nodes: int,
    num_relations: int,
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Returns triples as :obj:`torch.long` after checking their ids."""
    head = _as_ids("head_index", head_index)
    rel = _as_ids("rel_type", rel_type)
    tail = _as_ids("tail_index", tail_index)
    sizes = num_nodes, num_relations, num_nodes
    if _inside((head, rel, tail), sizes):
        if head.shape == rel.shape == tail.shape:
            return head, rel, tail
    else:
        check_ids("head_index", head, num_nodes, "num_nodes")
        check_ids("rel_type", rel, num_relations, "num_relations")
        check_ids("tail_index", tail, num_nodes, "num_nodes")
    check_same_shape(head_index=head, rel_type=rel, tail_index=tail)
    return head, rel, tail


def check_pairs(
    entity: Tensor, relation: Tensor, num_nodes: int, num_relations: int
) -> tuple[Tensor, Tensor]:
    r"""Returns pairs as :obj:`torch.long` after checking their ids."""
    entity, relation = _as_ids("entity", entity), _as_ids("relation", relation)
    if not _inside((entity, relation), (num_nodes, num_relations)):
        check_ids("entity", entity, num_nodes, "num_nodes")
        check_ids("relation", relation, num_relations, "num_relations")
    check_same_shape(entity=entity, relation=relation)
    return entity, relation


def _inside(columns: Sequence[Tensor], sizes: Sequence[int]) -> bool:
    r"""Whether all ids are in range, with one transfer from the device."""
    device = columns[0].device
    bounds: list[Tensor] = []
    for ids in columns:
        if ids.numel() == 0 or ids.device != device:
            return False
        bounds += torch.aminmax(ids)
    if device.type == "cpu":
        ends = [bound.item() for bound in bounds]
    else:
        ends = torch.stack(bounds).tolist()
    return min(ends[::2]) >= 0 and all(map(lt, ends[1::2], sizes))


def check_same_shape(**tensors: Tensor) -> None:
    r"""Checks that all tensors have the same shape and device."""
    items = list(tensors.items())
    first_name, first = items[0]
    for name, tensor in items[1:]:
        if tensor.shape != first.shape:
            raise InvalidInputError(
                f"'{first_name}' and '{name}' must have the same shape (got "
                f"{list(first.shape)} and {list(tensor.shape)})"
            )
        if tensor.device != first.device:
            raise InvalidInputError(
                f"'{first_name}' and '{name}' must be on the same device (got "
                f"{first.device} and {tensor.device})"
            )


def check_edges(
    edge_index: Tensor, edge_type: Tensor, num_nodes: int, num_relations: int
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Checks a list of edges and returns its heads, relations and tails."""
    num_nodes = check_size("num_nodes", num_nodes)
    num_relations = check_size("num_relations", num_relations)
    for name, tensor, dim in (
        ("edge_index", edge_index, 2),
        ("edge_type", edge_type, 1),
    ):
        if not isinstance(tensor, Tensor):
            raise InvalidInputError(
                f"'{name}' must be a torch.Tensor (got {type(tensor).__name__})"
            )
        if tensor.dim() != dim:
            raise InvalidInputError(
                f"'{name}' must have {dim} dimension(s) (got shape "
                f"{list(tensor.shape)})"
            )
    if edge_index.size(0) != 2:
        raise InvalidInputError(
            f"'edge_index' must have shape [2, num_edges] (got "
            f"{list(edge_index.shape)})"
        )
    if edge_index.size(1) != edge_type.size(0):
        raise InvalidInputError(
            f"'edge_index' and 'edge_type' must list the same edges (got "
            f"{edge_index.size(1)} and {edge_type.size(0)} of them)"
        )
    check_same_shape(edge_index=edge_index[0], edge_type=edge_type)
    head, tail = check_ids("edge_index", edge_index, num_nodes, "num_nodes")
    rel = check_ids("edge_type", edge_type, num_relations, "num_relations")
    return head, rel, tail


def check_size(name: str, value: Any) -> int:
    r"""Checks that a size is a non-negative integer."""
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_integer or value < 0:
        raise InvalidInputError(
            f"'{name}' must be a non-negative integer (got {value!r})"
        )
    return int(value)


def check_choice(name: str, value: object, choices: Any) -> None:
    r"""Checks that an option is one of its allowed values."""
    allowed = choices if isinstance(choices, tuple) else get_args(choices)
    if value not in allowed:
        raise InvalidInputError(
            f"'{name}' must be one of {', '.join(map(repr, allowed))} (got "
            f"{value!r})"
        )


def check_least(name: str, value: float, least: float) -> None:
    r"""Checks that a number has at least a minimum; NaN is an error."""
    if not value >= least:
        raise InvalidInputError(
            f"'{name}' must be at least {least} (got {value})"
        )
