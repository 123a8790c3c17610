r"""A made-up world that grows over time, and what happens in it."""

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_least
from pyg_cagp.datasets.events import (
    BLOCK,
    Events,
    hash_uniform,
)
from pyg_cagp.exceptions import InvalidInputError

_TYPE_NAMES = ("person", "place", "work", "group", "event", "topic", "thing")

#: How often a draw that the world does not allow is drawn again.
_ROUNDS = 24


class World:
    r"""Entities of several types that are born, become known, and take up
    relations as time goes by.

    Entities of one type are numbered by age, so the rank of a Zipf-like draw
    has the closed form :math:`\lfloor m u^{1/(1-s)} \rfloor`, with :math:`m`
    alive, :math:`u` uniform and exponent :math:`s`. Each relation joins two
    types, and sends each cluster of heads to one cluster of tails.
    """

    #: The share of entities that are there from the start.
    founders = 0.6
    #: How often an entity comes from the newest twentieth: news is news.
    recency = 0.1
    #: A pair is taken up at birth, or later, or never.
    at_birth, later = 0.4, 0.4

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        num_types: int,
        num_clusters: int,
        zipf: float,
        noise: float,
        seed: int,
    ) -> None:
        check_least("num_relations", num_relations, 1)
        check_least("num_types", num_types, 1)
        check_least("num_clusters", num_clusters, 2)
        if num_nodes < 4 * num_types:
            raise InvalidInputError(
                f"'num_nodes' must be at least four times 'num_types' (got "
                f"{num_nodes} and {num_types})"
            )
        for name, part in (("zipf", zipf), ("noise", noise)):
            if not 0 <= part < 1:
                raise InvalidInputError(
                    f"'{name}' must lie in [0, 1) (got {part})"
                )
        self.num_nodes = num_nodes
        self.num_relations = num_relations
        self.num_clusters = num_clusters
        self.zipf = zipf
        self.noise = noise
        self.seed = seed
        generator = torch.Generator().manual_seed(seed)

        share = 1 / torch.arange(1.0, num_types + 1).sqrt()
        size = (share / share.sum() * (num_nodes - num_types)).long() + 1
        size[0] += num_nodes - size.sum()
        self.type_size = size
        self.type_start = torch.cat([size.new_zeros(1), size.cumsum(0)])
        self.type_of = torch.repeat_interleave(torch.arange(num_types), size)
        rank = torch.arange(num_nodes) - self.type_start[self.type_of]
        # One founder a cluster at least, so that none is ever empty.
        some = size.clamp(max=num_clusters)
        self.type_old = torch.maximum((self.founders * size).long(), some)
        old = self.type_old[self.type_of]
        span = (size[self.type_of] - old).clamp(min=1)
        self.birth = (rank - old).clamp(min=0).double() / span
        self.rank = rank

        draw = torch.randint(num_types, (2, num_relations), generator=generator)
        self.head_type, self.tail_type = draw
        # Clusters are sent to clusters one to one, each relation its own way.
        self.shift = torch.randint(
            num_clusters, (num_relations,), generator=generator
        )
        weight = 1 / torch.arange(1.0, num_relations + 1)
        self.rel_cdf = (weight / weight.sum()).double().cumsum(0)
        # Ids are independent of age and type.
        self.public_id = torch.randperm(num_nodes, generator=generator)

    def uptake(self, entity: Tensor, rel: Tensor) -> Tensor:
        r"""Returns the moment from which on each pair can occur."""
        draw = hash_uniform(self.seed, entity, rel)
        wait = (draw - self.at_birth) / self.later
        birth = self.birth[entity]
        moment = torch.where(draw < self.at_birth, 0, wait)
        moment = birth + (1 - birth) * moment
        never = draw >= self.at_birth + self.later
        # The oldest of each cluster take part in everything, so that every
        # draw can end somewhere.
        elder = self.rank[entity] < self.num_clusters
        return torch.where(elder, 0.0, torch.where(never, torch.inf, moment))

    def draw(self, first: int, last: int, total: int) -> Events:
        r"""Draws events number :obj:`first` to :obj:`last` out of a timeline
        of :obj:`total`; they must not cross the border of a block.
        """
        block = first // BLOCK
        start = block * BLOCK
        size = min(BLOCK, total - start)
        generator = torch.Generator().manual_seed(
            (self.seed * 1_000_003 + block) % 2**63
        )
        jitter = torch.rand(size, generator=generator, dtype=torch.double)
        moment = (start + torch.arange(size) + jitter) / total
        draw = torch.rand(size, generator=generator, dtype=torch.double)
        rel = torch.searchsorted(self.rel_cdf, draw)
        rel = rel.clamp_(max=self.num_relations - 1)
        anyone = torch.randint(self.num_clusters, (size,), generator=generator)
        kind = self.head_type[rel]
        head = self._draw_entity(kind, anyone, rel, moment, generator)
        cluster = (self.rank[head] + self.shift[rel]) % self.num_clusters
        noisy = torch.rand(size, generator=generator) < self.noise
        anyone = torch.randint(self.num_clusters, (size,), generator=generator)
        cluster = torch.where(noisy, anyone, cluster)
        kind = self.tail_type[rel]
        tail = self._draw_entity(kind, cluster, rel, moment, generator)
        part = slice(first - start, last - start)
        return Events(head[part], rel[part], tail[part], moment[part])

    def _draw_entity(
        self,
        kind: Tensor,
        cluster: Tensor,
        rel: Tensor,
        moment: Tensor,
        generator: torch.Generator,
    ) -> Tensor:
        size = self.type_size[kind]
        cluster = cluster % size.clamp(max=self.num_clusters)
        old = self.type_old[kind]
        alive = old + (moment * (size - old)).ceil().long()
        # How many of the living belong to the cluster: every k-th of them.
        members = (alive - cluster - 1) // self.num_clusters + 1
        members = members.clamp(min=1)
        # The cluster's eldest stands in for draws that never come out right.
        eldest = self.type_start[kind] + cluster
        entity, todo = eldest.clone(), torch.arange(kind.numel())
        for _ in range(_ROUNDS):
            place = self._draw_place(members[todo], generator)
            tried = eldest[todo] + self.num_clusters * place
            fine = self.uptake(tried, rel[todo]) <= moment[todo]
            entity[todo[fine]] = tried[fine]
            todo = todo[~fine]
            if todo.numel() == 0:
                break
        return entity

    def _draw_place(
        self, members: Tensor, generator: torch.Generator
    ) -> Tensor:
        shape = members.shape
        draw = torch.rand(shape, generator=generator, dtype=torch.double)
        news = torch.rand(shape, generator=generator) < self.recency
        popular = draw ** (1 / (1 - self.zipf))
        share = torch.where(news, 1 - draw / 20, popular)
        return (members * share).long().clamp(max=members - 1)

    def node_names(self) -> list[str]:
        r"""Returns a name for each entity, by public id."""
        kinds = [self.type_name(kind) for kind in range(len(self.type_size))]
        order = self.public_id.argsort()
        rows = torch.stack([self.type_of, self.rank], dim=1)[order].tolist()
        return [f"{kinds[kind]}_{rank}" for kind, rank in rows]

    def relation_names(self) -> list[str]:
        r"""Returns a name for each relation."""
        ends = torch.stack([self.head_type, self.tail_type], dim=1).tolist()
        return [
            f"r{rel}:{self.type_name(head)}->{self.type_name(tail)}"
            for rel, (head, tail) in enumerate(ends)
        ]

    @staticmethod
    def type_name(kind: int) -> str:
        r"""Returns the name of an entity type."""
        turn, place = divmod(kind, len(_TYPE_NAMES))
        return _TYPE_NAMES[place] + (str(turn + 1) if turn else "")
