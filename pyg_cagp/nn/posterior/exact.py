r"""The curvature of queries whose candidates are all entities."""

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor
from tqdm import tqdm

from pyg_cagp.nn.posterior.slopes import (
    length_moments,
    slope_lengths,
    slope_moments,
    slopes,
)

if TYPE_CHECKING:
    from pyg_cagp.nn.kge import GaussianKGEModel

#: A relation with at least this many queries gets separate chunks. With fewer,
#: computing the lengths of all candidates' slopes takes longer than it saves.
MIN_QUERIES = 64

#: Candidates that are scored at a time. A product of matrices takes less time
#: if a part of its factor stays in the cache.
PART_SIZE = 2**13


class Run(NamedTuple):
    r"""Consecutive queries, of one relation or of several rare ones."""

    start: int
    stop: int
    one_relation: bool


class Queries(NamedTuple):
    r"""The distinct queries of one side, by relation, with the number of
    triples that share each. Frequent relations come first.
    """

    side: str
    given: Tensor
    rel_type: Tensor
    num_triples: Tensor
    runs: list[Run]


def distinct_queries(
    model: "GaussianKGEModel",
    head_index: Tensor,
    rel_type: Tensor,
    tail_index: Tensor,
) -> list[Queries]:
    r"""Returns each query of triples once. The curvature of a softmax does not
    depend on which answer was right.
    """
    num_relations = model.num_relations
    if model.symmetric and not model.reciprocal:
        # The scores of (?, r, e) are those of (e, r, ?).
        entity = torch.cat([head_index, tail_index])
        return [_group("tail", entity, rel_type.repeat(2), num_relations)]
    return [
        _group("tail", head_index, rel_type, num_relations),
        _group("head", tail_index, rel_type, num_relations),
    ]


def _group(
    side: str, given: Tensor, rel_type: Tensor, num_relations: int
) -> Queries:
    key = given * num_relations + rel_type
    key, count = key.unique(return_counts=True)
    given, rel_type = key // num_relations, key % num_relations
    size = rel_type.bincount(minlength=num_relations)[rel_type]
    order = (size * num_relations + rel_type).argsort(
        descending=True, stable=True
    )
    rel_type = rel_type[order]
    sizes = rel_type.unique_consecutive(return_counts=True)[1].tolist()
    runs, start = [], 0
    for number in sizes:
        if number < MIN_QUERIES:
            runs.append(Run(start, rel_type.numel(), False))
            break
        runs.append(Run(start, start + number, True))
        start += number
    return Queries(side, given[order], rel_type, count[order], runs)


def add_exact(
    model: "GaussianKGEModel",
    diagonal: Tensor,
    nodes: Tensor,
    queries: Queries,
    max_scores: int,
    tqdm_options: dict[str, Any],
) -> None:
    r"""Adds the curvature of queries to that of all entities.

    Args:
        model (GaussianKGEModel): The model.
        diagonal (torch.Tensor): The curvature, of shape
            :obj:`[num_nodes, channels]`, or of shape :obj:`[num_nodes, 1]` for
            its sum over the channels of a bilinear model.
        nodes (torch.Tensor): The embeddings of all entities.
        queries (Queries): The queries.
        max_scores (int): How many scores to hold at a time.
        tqdm_options (dict): The options of the progress bar.
    """
    side, given, rel_type, count, runs = queries
    size = max(1, max_scores // model.num_nodes)
    summed = diagonal.size(1) < nodes.size(1)
    scores = nodes.new_empty(min(size, rel_type.numel()), model.num_nodes)
    with tqdm(total=rel_type.numel(), **tqdm_options) as bar:
        for start, stop, one_relation in runs:
            lengths = None
            if summed and one_relation:
                rel = rel_type[start : start + 1]
                lengths = slope_lengths(model, side, rel, nodes)
            for first in range(start, stop, size):
                part = slice(first, min(first + size, stop))
                chunk = given[part], rel_type[part], count[part]
                _add_chunk(model, diagonal, nodes, side, chunk, lengths, scores)
                bar.update(part.stop - first)


def _add_chunk(
    model: "GaussianKGEModel",
    diagonal: Tensor,
    nodes: Tensor,
    side: str,
    chunk: tuple[Tensor, Tensor, Tensor],
    lengths: Tensor | None,
    scores: Tensor,
) -> None:
    given, rel, count = chunk
    query = side, nodes[given], rel
    prob = scores[: rel.numel()]
    parts = zip(nodes.split(PART_SIZE), prob.split(PART_SIZE, 1), strict=True)
    for candidates, part in parts:
        part.copy_(model.score_candidates(*query, candidates))
    torch.softmax(prob, dim=1, out=prob)
    times = count[:, None].to(prob.dtype)
    self_mass = prob.gather(1, given[:, None])
    summed = diagonal.size(1) < nodes.size(1)
    if summed:
        moments = length_moments(model, *query, nodes, prob, times, lengths)
    else:
        curve = torch.addcmul(prob, prob, prob, value=-1).mul_(times)
        moments = slope_moments(model, *query, nodes, prob, curve)
    to_candidates, first, second = moments
    by_given, by_self = slopes(model, *query, query[1])
    both = 2 * self_mass * by_self * (by_given - first)
    own = both - first.square()
    own = second + (own.sum(dim=1, keepdim=True) if summed else own)
    diagonal += to_candidates
    diagonal.index_add_(0, given, times * own)
