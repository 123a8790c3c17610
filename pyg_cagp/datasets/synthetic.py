r"""A generated graph, whose truth is known."""

import math
from collections.abc import Callable, Iterator
from typing import get_args

import torch
from torch import Tensor
from torch_geometric.data import Data, InMemoryDataset

from pyg_cagp._utils.checks import (
    check_choice,
    check_least,
    check_triples,
)
from pyg_cagp.data import triples
from pyg_cagp.datasets.events import (
    distinct_events,
    draw_events,
)
from pyg_cagp.datasets.held_out import (
    CUT,
    HELD_OUT,
    days_of,
    edge_index_of,
    split_events,
)
from pyg_cagp.datasets.likelihood import conditional
from pyg_cagp.datasets.world import World
from pyg_cagp.typing import HeldOut, Side, Split

#: The shares of the events before and after that moment that a split holds.
_WEIGHTS: dict[str | None, tuple[float, float]] = {
    None: (1.0, 1.0),
    "train": (1 - HELD_OUT, 0.0),
    "val": (HELD_OUT / 2, 0.5),
    "test": (HELD_OUT / 2, 0.5),
}


class SyntheticKG(InMemoryDataset):
    r"""A knowledge graph that is generated, and whose truth is known.

    Entities have types, a Zipf-like popularity and binary latent factors. A
    relation joins two types. Of each factor, it prefers that head and tail
    agree, or that they differ. Entities are born over time, and old ones take
    up new relations. From then on, a triple that breaks :math:`b` preferences
    occurs at a constant rate, proportional to both popularities and to
    :math:`(\nu / (1 - \nu))^b` with noise :math:`\nu`. The graph holds the
    first :obj:`num_triples` distinct triples of independent events.
    Validation and test hold the time after a cut, and a part of the past.

    :meth:`probability` returns the true probability of an answer.
    :obj:`truth` follows from how a triple came about, not from train: -1 for
    training triples, 0 for ordinary ones, 1 (emerging) if an entity was born
    after the cut, 2 (novel) if an older one took up the relation after it.
    :obj:`val_neg_edge_index`, :obj:`val_neg_edge_type`,
    :obj:`test_neg_edge_index` and :obj:`test_neg_edge_type` hold false triples
    whose tail breaks half of the preferences or more, one for each held-out
    triple where its tail type has one; see :meth:`labelled`. :obj:`edge_time`
    counts days since 1970, with equally many triples a day, and
    :obj:`node_type` holds entity types.

    Args:
        num_nodes (int, optional): Entities. (default: :obj:`2000`)
        num_relations (int, optional): Relations. (default: :obj:`30`)
        num_triples (int, optional): Distinct triples. (default: :obj:`30000`)
        num_types (int, optional): Types of entities. (default: :obj:`6`)
        num_factors (int, optional): Latent factors of an entity. If set to
            :obj:`None`, so many that about half of the triples that break no
            preference are in the graph: 5 at the default size.
            (default: :obj:`None`)
        zipf (float, optional): The exponent of popularity, in
            :math:`[0, 1)`. (default: :obj:`0.8`)
        noise (float, optional): The probability :math:`\nu` that an event
            breaks a preference, where all factors are equally frequent, in
            :math:`(0, 0.5]`; at 0.5, factors have no effect. Frequent triples
            count once, so that the share of broken preferences is larger in
            the graph. (default: :obj:`0.005`)
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
        num_factors: int | None = None,
        zipf: float = 0.8,
        noise: float = 0.005,
        seed: int = 0,
        transform: Callable | None = None,
    ) -> None:
        super().__init__(None, transform)
        if num_factors is None:
            pairs = num_relations * (num_nodes / num_types) ** 2
            share = max(pairs / (3 * num_triples), 2)
            num_factors = min(int(math.log2(share)), 10)
        self.world = World(
            num_nodes, num_relations, num_types, num_factors, zipf, noise, seed
        )
        data = split_events(
            self.world, distinct_events(self.world, num_triples)
        )
        self.data, self.slices = self.collate([data])

    def probability(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        *,
        side: Side = "tail",
        split: Split | None = None,
    ) -> Tensor:
        r"""Returns the true probability :math:`p(t \mid h, r)` or
        :math:`p(h \mid r, t)` of each triple.

        It is that of an event of which the rest is given. The probabilities of
        all entities sum to 1, except for a query that cannot occur: there, all
        are 0.

        Args:
            head_index (torch.Tensor): Heads.
            rel_type (torch.Tensor): Relations.
            tail_index (torch.Tensor): Tails.
            side (str, optional): The end that is predicted, :obj:`"tail"` or
                :obj:`"head"`. (default: :obj:`"tail"`)
            split (str, optional): The split whose events are meant; the later
                ones have more entities. If set to :obj:`None`, events of the
                whole timeline. (default: :obj:`None`)

        Example:
            >>> graph = SyntheticKG(num_nodes=200, num_triples=1000)
            >>> head, rel, _ = triples(graph[0], "test")
            >>> tail = torch.arange(200)
            >>> p = graph.probability(
            ...     head[0].expand(200), rel[0].expand(200), tail
            ... )
            >>> round(float(p.sum()), 6)
            1.0
        """
        check_choice("side", side, Side)
        check_choice("split", split, (None, *get_args(Split)))
        world = self.world
        head, rel, tail = check_triples(
            head_index,
            rel_type,
            tail_index,
            world.num_nodes,
            world.num_relations,
        )
        inside = world.public_id.argsort()
        moments = CUT, *_WEIGHTS[split]
        return conditional(
            world, inside[head], rel, inside[tail], side, moments
        )

    @staticmethod
    def stream(
        num_nodes: int,
        num_relations: int,
        num_triples: int,
        *,
        num_types: int = 6,
        num_factors: int = 5,
        zipf: float = 0.8,
        noise: float = 0.005,
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
            num_factors (int, optional): Latent factors of an entity.
                (default: :obj:`5`)
            zipf (float, optional): The exponent of popularity.
                (default: :obj:`0.8`)
            noise (float, optional): The probability that an event breaks a
                preference. (default: :obj:`0.005`)
            seed (int, optional): The seed. (default: :obj:`0`)
            chunk_size (int, optional): Events in a chunk.
                (default: :obj:`1048576`)
        """
        check_least("chunk_size", chunk_size, 1)
        world = World(
            num_nodes, num_relations, num_types, num_factors, zipf, noise, seed
        )
        for start in range(0, num_triples, chunk_size):
            stop = min(start + chunk_size, num_triples)
            events = draw_events(world, start, stop, num_triples)
            yield Data(
                edge_index=edge_index_of(world, events),
                edge_type=events.rel,
                edge_time=days_of(torch.arange(start, stop), num_triples),
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
