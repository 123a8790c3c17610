r"""The split of a generated graph, and the truth about its held-out triples."""

import datetime

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp.data import TripleIndex
from pyg_cagp.data.kg import MASKS, check_kg
from pyg_cagp.datasets.events import Events
from pyg_cagp.datasets.world import World

#: The timeline runs for this many days from this one on.
FIRST_DAY = (datetime.date(2020, 1, 1) - datetime.date(1970, 1, 1)).days
NUM_DAYS = 1000
#: The moment at which the future begins, and the share of the past held out.
CUT = 0.93
HELD_OUT = 0.08


def split_events(world: World, events: Events) -> Data:
    r"""Returns a graph of distinct events, split, with its truth and false
    triples.
    """
    num = events.rel.numel()
    generator = torch.Generator().manual_seed(world.seed + 1)
    draw = torch.rand(num, generator=generator)
    future = events.moment >= CUT
    held_out = future | (draw < HELD_OUT)
    is_val = torch.rand(num, generator=generator) < 0.5

    ends = torch.stack([events.head, events.tail])
    rel = events.rel.expand_as(ends)
    late = (world.uptake(ends, rel) >= CUT).any(0)
    born = (world.birth[ends] >= CUT).any(0)
    truth = torch.where(born, 1, torch.where(late, 2, 0))

    data = Data(
        edge_index=edge_index_of(world, events),
        edge_type=events.rel,
        edge_time=_days(future),
    )
    masks = (~held_out, held_out & is_val, held_out & ~is_val)
    for name, mask in zip(MASKS, masks, strict=True):
        data[name] = mask
    data.truth = torch.where(held_out, truth, -1)
    data.num_nodes = world.num_nodes
    data.num_relations = world.num_relations
    data.node_type = world.type_of[world.public_id.argsort()]
    data.node_names = world.node_names()
    data.relation_names = world.relation_names()
    data.time_unit = "D"
    known = TripleIndex.from_data(data)
    for split in ("val", "test"):
        _add_false(data, world, events, split, known, generator)
    return check_kg(data)


def _add_false(
    data: Data,
    world: World,
    events: Events,
    split: str,
    known: TripleIndex,
    generator: torch.Generator,
) -> None:
    # A tail of the right type that breaks half of the preferences: its true
    # probability is next to 0.
    mask = data[f"{split}_mask"]
    head, rel = events.head[mask], events.rel[mask]
    kind = world.tail_type[rel]
    start, stop = world.type_start[kind], world.type_start[kind + 1]
    half = (world.num_factors + 1) // 2
    done = torch.zeros_like(head, dtype=torch.bool)
    tail = torch.zeros_like(head)
    public = world.public_id
    for _ in range(50):
        draw = torch.rand(head.shape, generator=generator)
        tried = start + (draw * (stop - start)).long()
        tried = torch.minimum(tried, stop - 1)
        fine = ~done & (world.broken(head, rel, tried) >= half)
        fine &= ~known.contains(public[head], rel, public[tried])
        tail = torch.where(fine, tried, tail)
        done |= fine
    ends = torch.stack([head[done], tail[done]])
    data[f"{split}_neg_edge_index"] = public[ends]
    data[f"{split}_neg_edge_type"] = rel[done]


def edge_index_of(world: World, events: Events) -> Tensor:
    r"""Returns the heads and tails of events, by public id."""
    return world.public_id[torch.stack([events.head, events.tail])]


def days_of(position: Tensor, num: int) -> Tensor:
    r"""Returns positions in a timeline of :obj:`num` events as days since 1970;
    every day has equally many events.
    """
    return FIRST_DAY + position * NUM_DAYS // num


def _days(future: Tensor) -> Tensor:
    # The future begins with a new day.
    position = torch.arange(future.numel())
    day = days_of(position, future.numel())
    day[future] = day[future].clamp(min=int(day[~future].max()) + 1)
    return day
