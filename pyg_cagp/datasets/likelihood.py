r"""The true probabilities of the triples of a generated world."""

import torch
from torch import Tensor

from pyg_cagp.datasets.world import World
from pyg_cagp.typing import Side

#: Pairs of a query and a candidate that are computed at a time.
_CHUNK = 1 << 22


def conditional(
    world: World,
    head: Tensor,
    rel: Tensor,
    tail: Tensor,
    side: Side,
    moments: tuple[float, float, float],
) -> Tensor:
    r"""Returns the probability of each tail given head and relation, or of
    each head given relation and tail, by the ids of the world.

    :obj:`moments` are a cut and the weights of events before and after it. The
    probability is 0 where the query itself cannot occur.
    """
    given, answer = (head, tail) if side == "tail" else (tail, head)
    query, place = torch.unique(
        given * world.num_relations + rel, return_inverse=True
    )
    total = torch.zeros(len(query), dtype=torch.double)
    kinds = world.tail_type if side == "tail" else world.head_type
    of_relation = query % world.num_relations
    for number in of_relation.unique():
        kind = kinds[number]
        candidates = torch.arange(
            int(world.type_start[kind]), int(world.type_start[kind + 1])
        )
        rows = (of_relation == number).nonzero().view(-1)
        for chunk in rows.split(max(1, _CHUNK // len(candidates))):
            entity = query[chunk] // world.num_relations
            rates = _rates(
                world, entity[:, None], number, candidates, side, moments
            )
            total[chunk] = rates.sum(1)
    rate = _rates(world, given, rel, answer, side, moments)
    total = total[place]
    return torch.where(total > 0, rate / total.clamp(min=1e-300), 0.0)


def _rates(
    world: World,
    given: Tensor,
    rel: Tensor,
    answer: Tensor,
    side: Side,
    moments: tuple[float, float, float],
) -> Tensor:
    r"""Returns the expected numbers of events, up to a factor that the query
    decides.
    """
    head, tail = (given, answer) if side == "tail" else (answer, given)
    fits = (world.type_of[head] == world.head_type[rel]) & (
        world.type_of[tail] == world.tail_type[rel]
    )
    start = torch.maximum(
        world.uptake(given, rel.expand_as(given)),
        world.uptake(answer, rel.expand_as(answer)),
    )
    cut, before, after = moments
    duration = before * (cut - start).clamp(min=0)
    duration += after * (1 - start.clamp(min=cut)).clamp(min=0)
    penalty = world.odds ** world.broken(head, rel, tail).double()
    return fits * world.popularity[answer] * penalty * duration
