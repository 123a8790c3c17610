r"""Draws replacements for one part of triples."""

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp.coverage import Coverage
from pyg_cagp.data import TripleIndex
from pyg_cagp.data.answer_index import expand_ranges
from pyg_cagp.typing import Role

#: The number of rounds of draws before all candidates are listed.
_ROUNDS = 32
#: The number of candidates listed at a time.
_LISTED = 1 << 22

Triples = tuple[Tensor, Tensor, Tensor]


class Candidates:
    r"""The candidates for one part of triples: head, relation or tail."""

    def __init__(
        self, place: int, graph: Data, coverage: Coverage | None = None
    ) -> None:
        self.place = place
        self.coverage = coverage
        self.num = graph.num_relations if place == 1 else graph.num_nodes
        self.start = self.entities = None
        if coverage is not None and place != 1:
            role: Role = "head" if place == 0 else "tail"
            self.start, self.entities = coverage.entities_by_relation(role)

    def sizes(self, triples: Triples) -> Tensor:
        r"""Returns the number of candidates of each triple."""
        rel = triples[1]
        if self.start is None:
            return torch.full_like(rel, self.num)
        return self.start[rel + 1] - self.start[rel]

    def pick(self, triples: Triples, number: Tensor) -> Tensor:
        r"""Returns one candidate of each triple by its number."""
        if self.start is None or self.entities is None:
            return number
        place = self.start[triples[1]] + number
        return self.entities[place.clamp_(max=self.entities.numel() - 1)]

    def allowed(self, triples: Triples, known: TripleIndex | None) -> Tensor:
        r"""Returns whether each corrupted triple is allowed."""
        head, rel, tail = triples
        valid = torch.ones_like(rel, dtype=torch.bool)
        if self.coverage is not None and self.place == 1:
            valid &= self.coverage.contains(head, rel, "head")
            valid &= self.coverage.contains(tail, rel, "tail")
        if known is not None:
            valid &= ~known.contains(head, rel, tail)
        return valid


def draw_valid(
    candidates: Candidates,
    triples: Triples,
    known: TripleIndex | None,
    generator: torch.Generator,
) -> tuple[Tensor, Tensor]:
    r"""Draws a replacement for each triple, uniformly over those allowed.

    Returns:
        The replacements, and whether each triple has one.
    """
    drawn = triples[candidates.place].clone()
    size = candidates.sizes(triples)
    todo = (size > 0).nonzero().view(-1)
    for _ in range(_ROUNDS):
        if todo.numel() == 0:
            break
        rows = _select(triples, todo)
        number = _draw_numbers(size[todo], generator)
        tried = candidates.pick(rows, number)
        valid = candidates.allowed(_replace(rows, candidates, tried), known)
        drawn[todo[valid]] = tried[valid]
        todo = todo[~valid]
    done = size > 0
    done[todo] = False
    # The remaining triples have few candidates or none, so all are listed.
    for batch in _batches(todo, size):
        choice, has_choice = _choose_from_all(
            candidates, _select(triples, batch), size[batch], known, generator
        )
        drawn[batch] = torch.where(has_choice, choice, drawn[batch])
        done[batch] = has_choice
    return drawn, done


def _select(triples: Triples, rows: Tensor) -> Triples:
    head, rel, tail = triples
    return head[rows], rel[rows], tail[rows]


def _draw_numbers(size: Tensor, generator: torch.Generator) -> Tensor:
    draw = torch.rand(size.shape, generator=generator, dtype=torch.double)
    return (draw.to(size.device) * size).long().clamp_(max=size - 1)


def _replace(rows: Triples, candidates: Candidates, new: Tensor) -> Triples:
    parts = list(rows)
    parts[candidates.place] = new
    return (parts[0], parts[1], parts[2])


def _batches(todo: Tensor, size: Tensor) -> list[Tensor]:
    if todo.numel() == 0:
        return []
    batch = size[todo].cumsum(0) // _LISTED
    return list(todo.split(torch.unique(batch, return_counts=True)[1].tolist()))


def _choose_from_all(
    candidates: Candidates,
    rows: Triples,
    size: Tensor,
    known: TripleIndex | None,
    generator: torch.Generator,
) -> tuple[Tensor, Tensor]:
    owner, number = expand_ranges(torch.zeros_like(size), size)
    listed = _select(rows, owner)
    tried = candidates.pick(listed, number)
    valid = candidates.allowed(_replace(listed, candidates, tried), known)
    owner, tried = owner[valid], tried[valid]
    # The candidate of the largest random number of a triple is a uniform one.
    draw = torch.rand(owner.shape, generator=generator, dtype=torch.double)
    order = draw.to(owner.device).argsort()
    number = torch.arange(owner.numel(), device=size.device)
    winner = torch.full_like(size, -1)
    winner.scatter_reduce_(0, owner[order], number, "amax")
    if owner.numel() == 0:
        return torch.zeros_like(size), winner >= 0
    return tried[order[winner.clamp(min=0)]], winner >= 0
