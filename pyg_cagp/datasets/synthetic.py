r"""A graph made to order, whose truth is known."""

import datetime
from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch_geometric.data import Data, InMemoryDataset

from pyg_cagp._utils.checks import check_least
from pyg_cagp.data import TripleIndex, triples
from pyg_cagp.data.kg import MASKS, check_kg
from pyg_cagp.datasets.events import (
    Events,
    distinct_events,
    draw_events,
)
from pyg_cagp.datasets.world import World
from pyg_cagp.typing import HeldOut

#: The timeline runs for this many days from this one on.
FIRST_DAY = (datetime.date(2020, 1, 1) - datetime.date(1970, 1, 1)).days
NUM_DAYS = 1000
#: The moment at which the future begins, and the share of the past held out.
CUT = 0.85
HELD_OUT = 0.06


class SyntheticKG(InMemoryDataset):
    r"""A realistic knowledge graph that is generated, not downloaded.

    Entities have types, relations join two types by rules that can be learned,
    popularity is Zipf-like. Entities are born over time, and old ones take up
    new relations. Validation and test hold the time after a cut, and a part of
    the past.

    :obj:`truth` follows from how a triple came about, not from train: -1 for
    training triples, 0 for ordinary ones, 1 (emerging) if an entity was born
    after the cut, 2 (novel) if an older one took up the relation after it.
    :obj:`val_neg_edge_index`, :obj:`val_neg_edge_type`,
    :obj:`test_neg_edge_index` and :obj:`test_neg_edge_type` hold false triples
    with a wrong tail, one for each held-out triple where its tail type has one;
    see :meth:`labelled`. :obj:`edge_time` counts days since 1970, and
    :obj:`node_type` holds entity types.

    Args:
        num_nodes (int, optional): Entities. (default: :obj:`2000`)
        num_relations (int, optional): Relations. (default: :obj:`30`)
        num_triples (int, optional): Distinct triples. (default: :obj:`30000`)
        num_types (int, optional): Types of entities. (default: :obj:`6`)
        num_clusters (int, optional): Clusters of a type, between which
            relations run. (default: :obj:`12`)
        zipf (float, optional): The exponent of popularity, in
            :math:`[0, 1)`. (default: :obj:`0.6`)
        noise (float, optional): The share of events that break the rule of
            their relation; it is larger among distinct triples.
            (default: :obj:`0.1`)
        seed (int, optional): The seed. (default: :obj:`0`)
        transform (callable, optional): A transform at every access.
            (default: :obj:`None`)

    Example:
        >>> data = SyntheticKG(num_nodes=200, num_triples=1000)[0]
        >>> data.num_nodes, data.num_edges, data.num_relations
        (200, 1000, 30)
    """

    def __init__(
        self,
        *,
        num_nodes: int = 2_000,
        num_relations: int = 30,
        num_triples: int = 30_000,
        num_types: int = 6,
        num_clusters: int = 12,
        zipf: float = 0.6,
        noise: float = 0.1,
        seed: int = 0,
        transform: Callable | None = None,
    ) -> None:
        super().__init__(None, transform)
        world = World(
            num_nodes, num_relations, num_types, num_clusters, zipf, noise, seed
        )
        data = _split(world, distinct_events(world, num_triples))
        self.data, self.slices = self.collate([data])

    @staticmethod
    def stream(
        num_nodes: int,
        num_relations: int,
        num_triples: int,
        *,
        num_types: int = 6,
        num_clusters: int = 12,
        zipf: float = 0.6,
        noise: float = 0.1,
        seed: int = 0,
        chunk_size: int = 1 << 20,
    ) -> Iterator[Data]:
        r"""Yields a timeline of any length, chunk by chunk.

        Each chunk has :obj:`edge_index`, :obj:`edge_type` and
        :obj:`edge_time`. A triple may recur. Memory is that of one chunk and of
        the entities; the triples do not depend on :obj:`chunk_size`.

        Args:
            num_nodes (int): Entities.
            num_relations (int): Relations.
            num_triples (int): Events.
            num_types (int, optional): Types of entities. (default: :obj:`6`)
            num_clusters (int, optional): Clusters of a type.
                (default: :obj:`12`)
            zipf (float, optional): The exponent of popularity.
                (default: :obj:`0.6`)
            noise (float, optional): The share of events that break the rule of
                their relation. (default: :obj:`0.1`)
            seed (int, optional): The seed. (default: :obj:`0`)
            chunk_size (int, optional): Events in a chunk.
                (default: :obj:`1048576`)
        """
        check_least("chunk_size", chunk_size, 1)
        world = World(
            num_nodes, num_relations, num_types, num_clusters, zipf, noise, seed
        )
        for start in range(0, num_triples, chunk_size):
            stop = min(start + chunk_size, num_triples)
            events = draw_events(world, start, stop, num_triples)
            yield Data(
                edge_index=_edge_index(world, events),
                edge_type=events.rel,
                edge_time=_days(events.moment),
                num_nodes=num_nodes,
                num_relations=num_relations,
            )

    @staticmethod
    def labelled(
        data: Data, split: HeldOut = "test"
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        r"""Returns heads, relations, tails and truth of a split, false triples
        (truth 3) included.

        Args:
            data (torch_geometric.data.Data): The graph.
            split (str, optional): :obj:`"val"` or :obj:`"test"`.
                (default: :obj:`"test"`)
        """
        mask = data[f"{split}_mask"]
        head, tail = data[f"{split}_neg_edge_index"]
        rel = data[f"{split}_neg_edge_type"]
        false = head, rel, tail, torch.full_like(rel, 3)
        true = *triples(data, mask), data.truth[mask]
        head, rel, tail, truth = map(torch.cat, zip(true, false, strict=True))
        return head, rel, tail, truth


def _split(world: World, events: Events) -> Data:
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
        edge_index=_edge_index(world, events),
        edge_type=events.rel,
        edge_time=_days(events.moment),
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
    # A tail of the right type but of a cluster the relation never leads to
    # from this head, so that the triple is false by the rules of the world.
    mask = data[f"{split}_mask"]
    head, rel = events.head[mask], events.rel[mask]
    right = (world.rank[head] + world.shift[rel]) % world.num_clusters
    kind = world.tail_type[rel]
    size, public = world.type_size[kind], world.public_id
    done = torch.zeros_like(head, dtype=torch.bool)
    tail = torch.zeros_like(head)
    for _ in range(50):
        draw = torch.rand(head.shape, generator=generator)
        rank = (draw * size).long().clamp(max=size - 1)
        tried = world.type_start[kind] + rank
        fine = ~done & (rank % world.num_clusters != right)
        fine &= ~known.contains(public[head], rel, public[tried])
        tail = torch.where(fine, tried, tail)
        done |= fine
    ends = torch.stack([head[done], tail[done]])
    data[f"{split}_neg_edge_index"] = public[ends]
    data[f"{split}_neg_edge_type"] = rel[done]


def _edge_index(world: World, events: Events) -> Tensor:
    return world.public_id[torch.stack([events.head, events.tail])]


def _days(moment: Tensor) -> Tensor:
    return FIRST_DAY + (moment * NUM_DAYS).floor().long()
