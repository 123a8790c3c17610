r"""A generated world that grows over time, and the events in it."""

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_least
from pyg_cagp.datasets.events import Events, Rows, hash_uniform
from pyg_cagp.exceptions import InvalidInputError

_TYPE_NAMES = ("person", "place", "work", "group", "event", "topic", "thing")

#: How often events are proposed before the world counts as too small, and how
#: many of them at a time.
_ROUNDS, _MOST = 200, 1 << 19


class World:
    r"""Entities of several types with latent factors, which are born and take
    up relations as time goes by.

    An entity has a popularity and a code of binary factors. A relation joins
    two types and takes in the most popular entities of both. Of each factor it
    prefers that head and tail agree, or that they differ. From the moment on at
    which :math:`h` and :math:`t` have taken up :math:`r`, :math:`(h, r, t)`
    occurs at a constant rate, proportional to

    .. math::
        w_h \, w_t \left( \frac{\nu}{1 - \nu} \right)^{b(h, r, t)}

    with popularities :math:`w`, the noise :math:`\nu`, and the number
    :math:`b` of preferences that the triple breaks.

    Entities of one type and code have consecutive ids, so that binary searches
    draw an event, at any size.
    """

    #: The share of entities that are there from the start.
    founders = 0.6
    #: The share of relations that an entity takes up at birth.
    at_birth = 0.6
    #: The share of its types that the narrowest relation takes in.
    narrowest = 0.1

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        num_types: int,
        num_factors: int,
        zipf: float,
        noise: float,
        seed: int,
    ) -> None:
        _check(num_nodes, num_relations, num_types, num_factors, zipf, noise)
        self.num_nodes = num_nodes
        self.num_relations = num_relations
        self.num_factors = num_factors
        self.num_codes = 2**num_factors
        self.seed = seed
        generator = torch.Generator().manual_seed(seed)
        self._draw_entities(num_types, zipf, generator)
        self._draw_relations(num_types, generator)
        self.odds = noise / (1 - noise)
        self._build_tables()

    def _draw_entities(
        self, num_types: int, zipf: float, generator: torch.Generator
    ) -> None:
        num_nodes = self.num_nodes
        share = 1 / torch.arange(1.0, num_types + 1).sqrt()
        size = (share / share.sum() * (num_nodes - num_types)).long() + 1
        size[0] += num_nodes - size.sum()
        self.type_start = torch.cat([size.new_zeros(1), size.cumsum(0)])
        self.type_of = torch.repeat_interleave(torch.arange(num_types), size)
        self.age_rank = self._ranks(generator)
        age = self.age_rank.double() / size[self.type_of]
        born = (age - self.founders).clamp(min=0) / (1 - self.founders)
        self.birth = born.sqrt()  # Growth accelerates.
        # The share of entities of the type that are at least as popular.
        place = (self._ranks(generator) + 1.0).double() / size[self.type_of]
        self.place, self.popularity = place, place**-zipf
        code = torch.randint(self.num_codes, (num_nodes,), generator=generator)
        group = (self.type_of * self.num_codes + code).sort().values
        self.code = group % self.num_codes
        groups = torch.arange(num_types * self.num_codes + 1)
        self.group_start = torch.searchsorted(group, groups)
        # Public ids are independent of type and code.
        self.public_id = torch.randperm(num_nodes, generator=generator)

    def _draw_relations(
        self, num_types: int, generator: torch.Generator
    ) -> None:
        num = self.num_relations
        draw = torch.randint(num_types, (2, num), generator=generator)
        self.head_type, self.tail_type = draw
        # A bit of the pattern is set if head and tail are to differ.
        self.pattern = torch.randint(
            self.num_codes, (num,), generator=generator
        )
        step = (torch.randperm(num, generator=generator) + 0.5).double() / num
        self.breadth = self.narrowest + (1 - self.narrowest) * step

    def _ranks(self, generator: torch.Generator) -> Tensor:
        r"""Returns a random rank of each entity within its type."""
        draw = torch.rand(self.num_nodes, generator=generator)
        order = (self.type_of + draw.double()).argsort()
        rank = torch.empty_like(order)
        rank[order] = torch.arange(self.num_nodes)
        return rank - self.type_start[self.type_of]

    def _build_tables(self) -> None:
        r"""Builds the distributions that relations, codes and entities are
        drawn from.
        """
        codes = torch.arange(self.num_codes)
        bits = codes[:, None] >> torch.arange(self.num_factors) & 1
        self.num_set = bits.sum(1)
        penalty = self.odds ** self.num_set.double()
        mass = self.popularity.cumsum(0)
        self.mass = torch.cat([mass.new_zeros(1), mass])
        groups = self.mass[self.group_start].diff().view(-1, self.num_codes)
        # Shapes: [type, preferred code, code] and [relation, code of head].
        tails = groups[:, None] * penalty[codes[:, None] ^ codes]
        preferred = self.pattern[:, None] ^ codes
        total = tails.sum(2)[self.tail_type[:, None], preferred]
        heads = groups[self.head_type] * total
        self.tail_codes = Rows(tails.flatten(0, 1))
        self.head_codes = Rows(heads)
        self.relations = Rows(heads.sum(1)[None])

    def uptake(self, entity: Tensor, rel: Tensor) -> Tensor:
        r"""Returns the moment from which on each pair can occur, infinity if
        it never can.
        """
        draw = hash_uniform(self.seed, entity, rel)
        wait = (draw - self.at_birth).clamp(min=0) / (1 - self.at_birth)
        birth = self.birth[entity]
        moment = birth + (1 - birth) * wait
        moment[self.place[entity] > self.breadth[rel]] = torch.inf
        # The oldest of a type takes part in everything, so that every
        # relation can occur at every moment.
        moment[self.age_rank[entity] == 0] = 0
        return moment

    def broken(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Returns how many preferences of its relation each triple breaks."""
        return self.num_set[
            self.code[head] ^ self.pattern[rel] ^ self.code[tail]
        ]

    def draw(
        self,
        size: int,
        window: tuple[float, float],
        generator: torch.Generator,
    ) -> Events:
        r"""Draws independent events of a window of time, in no order."""
        parts: list[Events] = []
        missing, rate = size, 0.2
        for _ in range(_ROUNDS):
            num = min(int(1.05 * missing / rate) + 64, _MOST)
            parts.append(self._propose(num, window, generator))
            accepted = parts[-1].rel.numel()
            missing, rate = missing - accepted, max(accepted / num, 0.01)
            if missing <= 0:
                columns = zip(*parts, strict=True)
                return Events(*(torch.cat(part)[:size] for part in columns))
        raise InvalidInputError(
            f"'num_nodes' is too small for events at all times (got "
            f"{self.num_nodes}); raise it, 'num_relations' or 'noise'"
        )

    def _propose(
        self,
        size: int,
        window: tuple[float, float],
        generator: torch.Generator,
    ) -> Events:
        r"""Draws events as if all pairs were taken up, and drops those whose
        pairs are not.
        """
        draw = torch.rand(6, size, generator=generator, dtype=torch.double)
        moment = window[0] + (window[1] - window[0]) * draw[0]
        rel = self.relations.draw(torch.zeros(size, dtype=torch.long), draw[1])
        code = self.head_codes.draw(rel, draw[2])
        head = self._draw_entity(self.head_type[rel], code, draw[3])
        fine = self.uptake(head, rel) <= moment
        head, rel, code, moment = (x[fine] for x in (head, rel, code, moment))
        draw = draw[4:, fine]
        code, kind = code ^ self.pattern[rel], self.tail_type[rel]
        code = self.tail_codes.draw(kind * self.num_codes + code, draw[0])
        tail = self._draw_entity(kind, code, draw[1])
        fine = self.uptake(tail, rel) <= moment
        return Events(head[fine], rel[fine], tail[fine], moment[fine])

    def _draw_entity(self, kind: Tensor, code: Tensor, draw: Tensor) -> Tensor:
        group = kind * self.num_codes + code
        start, stop = self.group_start[group], self.group_start[group + 1]
        low, high = self.mass[start], self.mass[stop]
        place = low + draw * (high - low)
        entity = torch.searchsorted(self.mass[1:], place, right=True)
        # Rounding must not lead out of the group.
        return torch.minimum(entity, stop - 1)

    def node_names(self) -> list[str]:
        r"""Returns a name for each entity, by public id."""
        kinds = [self.type_name(k) for k in range(len(self.type_start) - 1)]
        order = self.public_id.argsort()
        columns = torch.stack([self.type_of, self.age_rank], dim=1)
        return [f"{kinds[k]}_{age}" for k, age in columns[order].tolist()]

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


def _check(
    num_nodes: int,
    num_relations: int,
    num_types: int,
    num_factors: int,
    zipf: float,
    noise: float,
) -> None:
    check_least("num_relations", num_relations, 1)
    check_least("num_types", num_types, 1)
    check_least("num_factors", num_factors, 1)
    if num_factors > 10:
        raise InvalidInputError(
            f"'num_factors' must be at most 10 (got {num_factors})"
        )
    if num_nodes < 4 * num_types:
        raise InvalidInputError(
            f"'num_nodes' must be at least four times 'num_types' (got "
            f"{num_nodes} and {num_types})"
        )
    if not 0 <= zipf < 1:
        raise InvalidInputError(f"'zipf' must lie in [0, 1) (got {zipf})")
    if not 0 < noise <= 0.5:
        raise InvalidInputError(f"'noise' must lie in (0, 0.5] (got {noise})")
