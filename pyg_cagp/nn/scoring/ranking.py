r"""Where the right answer stands among all candidates."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor
from torch_geometric.nn.kge import KGEModel
from tqdm import tqdm

from pyg_cagp._utils.checks import check_triples
from pyg_cagp.data import AnswerIndex
from pyg_cagp.nn.scoring.candidates import (
    CandidateScorer,
    candidate_scorer,
    evaluating,
)


class RankCounts(NamedTuple):
    r"""How many rivals score higher than the answer, how many the same, and how
    many there are.

    The optimistic rank is :math:`1 + \textrm{higher}`, the pessimistic one
    :math:`1 + \textrm{higher} + \textrm{equal}`, and the realistic one, which
    :meth:`rank` gives, lies in their midst.
    """

    higher: Tensor
    equal: Tensor
    rivals: Tensor

    def rank(self) -> Tensor:
        r"""Returns the realistic rank: the mean over all orders of ties."""
        return 1 + self.higher + self.equal / 2


@torch.no_grad()
def rank_counts(
    model: KGEModel,
    head_index: Tensor,
    rel_type: Tensor,
    tail_index: Tensor,
    known: AnswerIndex | None = None,
    max_scores: int = 2**21,
    progress: bool = False,
) -> dict[str, RankCounts]:
    r"""Ranks the tail and the head of each triple among all entities.

    Triples with the same query share its scores, and known answers are not
    taken out of the scores but out of the counts.

    Args:
        model (torch_geometric.nn.kge.KGEModel): The model, ours or any other.
        head_index (torch.Tensor): The head indices.
        rel_type (torch.Tensor): The relation type.
        tail_index (torch.Tensor): The tail indices.
        known (AnswerIndex, optional): Triples known to be true: other answers
            than the one asked for do not count as rivals (the filtered
            setting). (default: :obj:`None`)
        max_scores (int, optional): How many scores to hold at a time, which
            bounds the memory. (default: :obj:`2097152`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar.
            (default: :obj:`False`)

    Returns:
        The counts of each side, :obj:`"tail"` and :obj:`"head"`.

    Example:
        >>> from torch_geometric.nn.kge import DistMult
        >>> model = DistMult(5, 2, hidden_channels=4)
        >>> zero = torch.zeros(1, dtype=torch.long)
        >>> int(rank_counts(model, zero, zero, zero)["tail"].rivals)
        4
    """
    head_index, rel_type, tail_index = check_triples(
        head_index, rel_type, tail_index, model.num_nodes, model.num_relations
    )
    score = candidate_scorer(model)
    size = max(1, max_scores // max(1, model.num_nodes))
    found = {}
    with (
        evaluating(model),
        tqdm(
            total=2 * rel_type.numel(), unit="query", disable=not progress
        ) as bar,
    ):
        for side, given, answer in (
            ("tail", head_index, tail_index),
            ("head", tail_index, head_index),
        ):
            counts = RankCounts(*torch.zeros((3, rel_type.numel())).long())
            counts = RankCounts(*(c.to(rel_type.device) for c in counts))
            for queries in _batches(given, rel_type, model.num_relations, size):
                _count(
                    score, side, given, rel_type, answer, queries, known, counts
                )
                bar.update(sum(map(len, queries)))
            found[side] = counts
    return found


def _batches(
    given: Tensor, rel: Tensor, num_relations: int, size: int
) -> Iterator[list[Tensor]]:
    r"""Puts triples of one query together, a batch of queries at a time.

    A batch is a list of rounds. The first has one triple of each query, the
    second has another of those queries that have two, and so on; queries stand
    in the same order in all, those with most triples first.
    """
    if rel.numel() == 0:
        return
    query = given * num_relations + rel
    _, query, count = query.unique(return_inverse=True, return_counts=True)
    # Queries by how many triples they have, and triples by their queries.
    place = count.argsort(descending=True, stable=True).argsort()[query]
    count = count.sort(descending=True, stable=True).values
    triples = place.argsort(stable=True)
    first = count.cumsum(0) - count
    for start in range(0, count.numel(), size):
        number = count[start : start + size]
        begin = first[start : start + size]
        yield [
            triples[begin[: int((number > turn).sum())] + turn]
            for turn in range(int(number[0]))
        ]


def _count(
    score: CandidateScorer,
    side: str,
    given: Tensor,
    rel: Tensor,
    answer: Tensor,
    rounds: list[Tensor],
    known: AnswerIndex | None,
    counts: RankCounts,
) -> None:
    triples = rounds[0]
    scores = score(side, given[triples], rel[triples])
    if known is not None:
        row, other = known.find(side, given[triples], rel[triples])
        other_score = scores[row, other]
        end = row.bincount(minlength=triples.numel()).cumsum(0)
    for triples in rounds:
        num = triples.numel()
        right = answer[triples]
        true = scores[:num].gather(1, right[:, None])
        higher = _row_sums(scores[:num] > true)
        # The answer ties with itself.
        no_less = _row_sums(scores[:num] >= true) - 1
        rivals = torch.full_like(higher, scores.size(1) - 1)
        if known is not None:
            # Rows ascend, so those of the first queries come first.
            last = int(end[num - 1])
            where = row[:last]
            level = true.view(-1)[where]
            counted = other[:last] != right[where]
            value = other_score[:last]
            higher -= _run_sums(counted & (value > level), end[:num])
            no_less -= _run_sums(counted & (value >= level), end[:num])
            rivals -= _run_sums(counted, end[:num])
        counts.higher[triples] = higher
        counts.equal[triples] = no_less - higher
        counts.rivals[triples] = rivals


def _row_sums(mask: Tensor) -> Tensor:
    # Summing bits as 64-bit numbers would take four times as long.
    return mask.sum(dim=1, dtype=torch.int32).long()


def _run_sums(mask: Tensor, end: Tensor) -> Tensor:
    total = torch.nn.functional.pad(mask.cumsum(0), (1, 0))[end]
    return total.diff(prepend=total.new_zeros(1))
