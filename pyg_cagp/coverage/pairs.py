r"""Sorted lists of entity-relation pairs with directed counts.

The functions sort and scatter on the device of their tensors, without a loop
over triples and without a dense matrix.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch_geometric.utils.sparse import index2ptr

from pyg_cagp.exceptions import InvalidInputError

_INT_DTYPES = (torch.uint8, torch.int16, torch.int32, torch.int64)


class PairCounts(NamedTuple):
    r"""Distinct pairs :math:`(e, r)` in ascending order, and their counts."""

    key: Tensor  #: :obj:`e * num_relations + r`, of shape :obj:`[nnz]`.
    head: Tensor  #: The number of triples with head `e` and relation `r`.
    tail: Tensor  #: The number of triples with tail `e` and relation `r`.


def smallest_int(largest: int) -> torch.dtype:
    r"""Returns the smallest integer type that holds :obj:`0..largest`.

    Example:
        >>> smallest_int(255), smallest_int(256)
        (torch.uint8, torch.int16)
    """
    return next(d for d in _INT_DTYPES if largest <= torch.iinfo(d).max)


def shrink(values: Tensor) -> Tensor:
    r"""Converts non-negative integers to the smallest type that holds them."""
    largest = int(values.max()) if values.numel() else 0
    return values.to(smallest_int(largest))


def count_pairs(
    head: Tensor, rel: Tensor, tail: Tensor, num_nodes: int, num_relations: int
) -> PairCounts:
    r"""Counts the triples of each entity and relation, by role."""
    # The lowest bit of a slot's key is its role, so that one sort is enough for
    # both roles: the head slots of a pair precede its tail slots.
    dtype = key_dtype(num_nodes, num_relations)
    num = head.numel()
    slots = torch.empty(2 * num, dtype=dtype, device=head.device)
    twice_rel = rel.to(dtype) * 2
    for role, entity in enumerate((head, tail)):
        part = slots[role * num : (role + 1) * num].copy_(entity)
        part.mul_(2 * num_relations).add_(twice_rel).add_(role)
    slots = _sort_in_place(slots)
    is_tail = slots.bitwise_and(1).bool()
    key = slots.bitwise_right_shift_(1)

    # The slots of a pair end at the start of the next pair. Counts are shrunk
    # early, because most of the time is spent on writing memory.
    is_start = torch.ones_like(is_tail)
    torch.ne(key[1:], key[:-1], out=is_start[1:])
    start = _places(is_start)
    end = torch.cat([start[1:], start.new_full((min(1, num),), 2 * num)])
    total = shrink(end - start)
    all_tail = is_tail.index_select(0, start)
    tail_count = total * all_tail
    # In a pair with both roles, the tail slots begin at one position.
    mixed = is_tail.index_select(0, end - 1).logical_and_(~all_tail)
    begins = (is_tail[1:] > is_tail[:-1]).logical_and_(~is_start[1:])
    mixed_place = _places(mixed)
    tails = end.index_select(0, mixed_place) - (_places(begins) + 1)
    tail_count[mixed_place.long()] = tails.to(total.dtype)
    key = key.index_select(0, start)
    return PairCounts(key, total - tail_count, tail_count)


def _places(mask: Tensor) -> Tensor:
    # 32-bit positions halve the memory traffic.
    places = mask.nonzero().view(-1)
    return places.int() if mask.numel() < 2**31 else places


def key_dtype(num_nodes: int, num_relations: int) -> torch.dtype:
    r"""Returns the integer type of the keys of pairs."""
    limit = 2 * num_nodes * num_relations
    if limit > torch.iinfo(torch.int64).max:
        raise InvalidInputError(
            f"'num_nodes' times 'num_relations' must be below 2^62 (got "
            f"{num_nodes} times {num_relations})"
        )
    fits = limit <= torch.iinfo(torch.int32).max
    return torch.int32 if fits else torch.int64


def _sort_in_place(keys: Tensor) -> Tensor:
    # NumPy sorts integers with vector instructions. torch.sort also returns a
    # permutation, which is not needed.
    if keys.device.type == "cpu":
        keys.numpy().sort()
        return keys
    return torch.sort(keys).values


def merge_pairs(old: PairCounts, new: PairCounts) -> PairCounts:
    r"""Adds two lists of counts without another sort."""
    if old.key.numel() == 0 or new.key.numel() == 0:
        return new if old.key.numel() == 0 else old
    num_old, device = old.key.numel(), old.key.device
    # 32-bit positions halve the memory.
    small = num_old + new.key.numel() < 2**31
    index_dtype = torch.int32 if small else torch.int64
    place = torch.searchsorted(old.key, new.key, out_int32=small)
    known = old.key[place.clamp(max=num_old - 1)] == new.key
    is_new = ~known
    # The position of each pair in the merged list is after all smaller ones.
    old_place = torch.searchsorted(new.key[is_new], old.key, out_int32=small)
    old_place += torch.arange(num_old, dtype=index_dtype, device=device)
    num_new = int(is_new.sum())
    number = torch.arange(num_new, dtype=index_dtype, device=device)
    new_place = torch.empty_like(place)
    new_place[known] = old_place[place[known]]
    new_place[is_new] = place[is_new] + number
    key = old.key.new_empty(num_old + num_new)
    key[old_place] = old.key
    key[new_place] = new.key
    counts = []
    for left, right in zip(old[1:], new[1:], strict=True):
        dtype = smallest_int(int(left.max()) + int(right.max()))
        total = left.new_zeros(key.numel(), dtype=dtype)
        total[old_place] = left.to(dtype)
        total[new_place] += right.to(dtype)
        counts.append(total)
    return PairCounts(key, *counts)


def row_pointers(row: Tensor, num_rows: int) -> Tensor:
    r"""Compresses sorted row numbers to the start of each row.

    Example:
        >>> row_pointers(torch.tensor([0, 0, 2]), 3)
        tensor([0, 2, 2, 3], dtype=torch.uint8)
    """
    return shrink(index2ptr(row, num_rows))
