r"""Finds many entity-relation pairs at once in sorted compressed rows."""

import torch
from torch import Tensor

#: The number of pairs searched at a time, so that temporaries fit in the cache.
CHUNK = 1 << 16


def find(
    rowptr: Tensor,
    col: Tensor,
    entity: Tensor,
    relation: Tensor,
    longest: int,
) -> Tensor:
    r"""Returns the position of each pair in :obj:`col`, or -1 if it is missing.

    A binary search runs for all pairs at once. Its steps are powers of two, and
    their number is the logarithm of the longest row.

    Example:
        >>> rowptr, col = torch.tensor([0, 2, 2]), torch.tensor([1, 4])
        >>> entity, relation = torch.tensor([0, 0, 1]), torch.tensor([4, 0, 4])
        >>> find(rowptr, col, entity, relation, longest=2)
        tensor([ 1, -1, -1])
    """
    out = torch.full_like(entity, -1)
    if col.numel() == 0 or entity.numel() == 0:
        return out
    steps = [1 << bit for bit in reversed(range(longest.bit_length()))]
    # 32-bit positions halve the memory traffic.
    index_dtype = torch.int32 if col.numel() < 2**31 else torch.int64
    for start in range(0, entity.numel(), CHUNK):
        part = slice(start, start + CHUNK)
        out[part] = _find_chunk(
            rowptr,
            col,
            entity[part],
            relation[part].to(col.dtype),
            steps,
            index_dtype,
        )
    return out


def _find_chunk(
    rowptr: Tensor,
    col: Tensor,
    entity: Tensor,
    relation: Tensor,
    steps: list[int],
    index_dtype: torch.dtype,
) -> Tensor:
    place = rowptr[entity].to(index_dtype)
    end = rowptr[entity + 1].to(index_dtype)
    for step in steps:
        ahead = place + step
        last = torch.minimum(ahead, end).sub_(1).clamp_(min=0)
        smaller = (col.index_select(0, last) < relation) & (ahead <= end)
        place = torch.where(smaller, ahead, place)
    inside = torch.minimum(place, end - 1).clamp_(min=0)
    hit = (place < end) & (col.index_select(0, inside) == relation)
    return torch.where(hit, place, -1)


class PresenceBitmap:
    r"""A bitmap of all entity-relation pairs, 0 for covered pairs."""

    def __init__(
        self, row: Tensor, col: Tensor, num_nodes: int, num_relations: int
    ) -> None:
        self.width = self.words_per_row(num_relations)
        self.words = row.new_zeros(num_nodes * self.width, dtype=torch.int64)
        col = col.long()
        # Pairs are distinct, so that adding their bits sets them.
        bit = torch.ones_like(col) << (col & 63)
        self.words.scatter_add_(0, row * self.width + (col >> 6), bit)
        self.words.bitwise_not_()

    @staticmethod
    def words_per_row(num_relations: int) -> int:
        r"""Returns the number of 64-bit words of a row."""
        return (num_relations + 63) // 64

    def contains(self, entity: Tensor, relation: Tensor) -> Tensor:
        r"""Returns for each pair whether it is covered."""
        return self.missing(entity, relation) == 0

    def missing(self, entity: Tensor, relation: Tensor) -> Tensor:
        r"""Returns 1 for each pair that is not covered, and else 0."""
        word = torch.add(relation >> 6, entity, alpha=self.width)
        bits = self.words.index_select(0, word.reshape(-1)).view(word.shape)
        return bits.bitwise_right_shift_(relation & 63).bitwise_and_(1)
