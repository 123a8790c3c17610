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

#: How many events for each triple are drawn, and drawn further, until enough
#: triples are distinct.
_FACTORS = (2, 2, 4, 8, 16, 32)


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


class Rows:
    r"""Categorical distributions, one a row, drawn from by binary search."""

    def __init__(self, weight: Tensor) -> None:
        self.num_columns = weight.size(1)
        cdf = weight.cumsum(1)
        row = torch.arange(len(cdf), dtype=cdf.dtype)
        self.cdf = (cdf / cdf[:, -1:] + row[:, None]).view(-1)

    def draw(self, row: Tensor, draw: Tensor) -> Tensor:
        r"""Returns the column at which a uniform draw falls in each row."""
        place = torch.searchsorted(self.cdf, row + draw, right=True)
        column = place - row * self.num_columns
        return column.clamp(max=self.num_columns - 1)


class Events(NamedTuple):
    r"""Triples with a time in :math:`[0, 1)`."""

    head: Tensor
    rel: Tensor
    tail: Tensor
    moment: Tensor


def draw_events(world: "World", start: int, stop: int, total: int) -> Events:
    r"""Draws events number :obj:`start` to :obj:`stop` of a timeline of
    :obj:`total`, in the order of time.
    """
    parts = []
    while start < stop:
        block = start // BLOCK
        first, last = block * BLOCK, min((block + 1) * BLOCK, total)
        generator = torch.Generator().manual_seed(
            (world.seed * 1_000_003 + block) % 2**63
        )
        window = first / total, last / total
        events = world.draw(last - first, window, generator)
        chosen = events.moment.argsort(stable=True)[
            start - first : stop - first
        ]
        parts.append(Events(*(column[chosen] for column in events)))
        start = last
    return Events(*map(torch.cat, zip(*parts, strict=True)))


def distinct_events(world: "World", num_triples: int) -> Events:
    r"""Draws events until so many of them are distinct triples; returns the
    first event of each, in the order of time.
    """
    check_least("num_triples", num_triples, 20)
    generator = torch.Generator().manual_seed(world.seed % 2**63)
    parts: list[Events] = []
    size = world.type_start.diff()
    possible = (size[world.head_type] * size[world.tail_type]).sum()
    for factor in _FACTORS if num_triples <= possible else ():
        parts.append(world.draw(factor * num_triples, (0.0, 1.0), generator))
        events = Events(*map(torch.cat, zip(*parts, strict=True)))
        first = _first(events, world)[:num_triples]
        if first.numel() == num_triples:
            first = first[events.moment[first].argsort(stable=True)]
            return Events(*(column[first] for column in events))
    raise InvalidInputError(
        f"'num_triples' is too large for the graph (got {num_triples}); raise "
        f"'num_nodes', 'num_relations' or 'noise'"
    )


def _first(events: Events, world: "World") -> Tensor:
    r"""Returns the position of the first event of each triple, in order."""
    pair = events.head * world.num_relations + events.rel
    key = pair * world.num_nodes + events.tail
    key, order = key.sort(stable=True)
    is_first = torch.ones_like(key, dtype=torch.bool)
    is_first[1:] = key[1:] != key[:-1]
    return order[is_first].sort().values
