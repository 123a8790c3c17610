r"""The events of a generated world, which become its triples."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_least
from pyg_cagp.exceptions import InvalidInputError

if TYPE_CHECKING:
    from pyg_cagp.datasets.world import World

#: The number of events drawn at a time. It is fixed, so that events do not
#: depend on the size of chunks.
BLOCK = 1 << 17


# The finaliser of SplitMix64.
_MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def hash_uniform(seed: int, *keys: Tensor) -> Tensor:
    r"""Maps integers to pseudorandom numbers in :math:`[0, 1)`.

    The same integers and seed give the same number, so that no number has to
    be stored.

    Example:
        >>> hash_uniform(0, torch.tensor([1, 1, 2])).unique().numel()
        2
    """
    mixed = np.full(keys[0].shape, seed % 2**64, dtype=np.uint64)
    for key in keys:
        mixed += key.cpu().numpy().astype(np.uint64)
        mixed += np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in _MIX:
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
    return torch.from_numpy((mixed >> np.uint64(11)) * 2.0**-53)


class Events(NamedTuple):
    r"""Triples with a time in :math:`[0, 1)`."""

    head: Tensor
    rel: Tensor
    tail: Tensor
    moment: Tensor


def draw_events(world: "World", start: int, stop: int, total: int) -> Events:
    r"""Draws events number :obj:`start` to :obj:`stop` of :obj:`total`."""
    parts = []
    while start < stop:
        last = min(stop, (start // BLOCK + 1) * BLOCK)
        parts.append(world.draw(start, last, total))
        start = last
    return Events(*map(torch.cat, zip(*parts, strict=True)))


def distinct_events(world: "World", num_triples: int) -> Events:
    r"""Draws events that are distinct triples."""
    check_least("num_triples", num_triples, 20)
    for factor in (1.3, 2.0, 4.0, 8.0):
        total = int(num_triples * factor)
        events = draw_events(world, 0, total, total)
        pair = events.head * world.num_relations + events.rel
        pair = torch.unique(pair, return_inverse=True)[1]
        key = pair * world.num_nodes + events.tail
        key, order = key.sort(stable=True)
        first = torch.ones_like(key, dtype=torch.bool)
        first[1:] = key[1:] != key[:-1]
        rows = order[first]
        if rows.numel() >= num_triples:
            generator = torch.Generator().manual_seed(world.seed)
            chosen = torch.randperm(rows.numel(), generator=generator)
            rows = rows[chosen[:num_triples]].sort().values
            return Events(*(column[rows] for column in events))
    raise InvalidInputError(
        f"'num_triples' is too large for the graph (got {num_triples}, but "
        f"{total} events have only {rows.numel()} distinct triples); raise "
        f"'num_nodes' or 'num_relations'"
    )
