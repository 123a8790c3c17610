r"""The rank of the right answer among all candidates."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor
from tqdm import tqdm

from pyg_cagp._utils.checks import check_triples
from pyg_cagp.data import AnswerIndex
from pyg_cagp.data.answer_index import expand_ranges
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.nn.scoring.scorer import (
    ScorerLike,
    as_scorer,
    evaluating,
    finite_scores,
)
from pyg_cagp.typing import Side


class RankCounts(NamedTuple):
    r"""The number of other candidates that score higher than the answer, the
    number that score the same, and the number of all others.

    The optimistic rank is :math:`1 + \textrm{higher}`, the pessimistic one
    :math:`1 + \textrm{higher} + \textrm{equal}`, and the realistic one, which
    :meth:`rank` gives, is the mean of both.
    """

    higher: Tensor
    equal: Tensor
    others: Tensor

    def rank(self) -> Tensor:
        r"""Returns the realistic rank: the mean over all orders of ties."""
        return 1 + self.higher + self.equal / 2


@torch.no_grad()
def rank_counts(
    model: ScorerLike,
    head_index: Tensor,
    rel_type: Tensor,
    tail_index: Tensor,
    *,
    known: AnswerIndex | None = None,
    max_scores: int = 2**21,
    progress: bool = False,
) -> dict[Side, RankCounts]:
    r"""Ranks the tail and the head of each triple among all entities.

    Triples with the same query share its scores. Each batch of queries needs
    one transfer from the device.

    Args:
        model (Scorer or callable): The model; see :func:`as_scorer`.
        head_index (torch.Tensor): The head indices.
        rel_type (torch.Tensor): The relation type.
        tail_index (torch.Tensor): The tail indices.
        known (AnswerIndex, optional): Triples known to be true. Other known
            answers of a query are left out (the filtered setting).
            (default: :obj:`None`)
        max_scores (int, optional): The largest number of scores in memory.
            (default: :obj:`2097152`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar.
            (default: :obj:`False`)

    Returns:
        The counts of each side, :obj:`"tail"` and :obj:`"head"`.

    Example:
        >>> from torch_geometric.nn.kge import DistMult
        >>> model = DistMult(5, 2, hidden_channels=4)
        >>> zero = torch.zeros(1, dtype=torch.long)
        >>> int(rank_counts(model, zero, zero, zero)["tail"].others)
        4
    """
    scorer = as_scorer(model)
    head, rel, tail = check_triples(
        head_index, rel_type, tail_index, scorer.num_nodes, scorer.num_relations
    )
    size = max(1, max_scores // max(1, scorer.num_nodes))
    score = finite_scores(scorer, size)
    counts_by_side = {}
    with (
        evaluating(scorer),
        tqdm(total=2 * rel.numel(), unit="query", disable=not progress) as bar,
    ):
        for side in SIDES:
            given, answer = (head, tail) if side == "tail" else (tail, head)
            queries = _Queries(side, given, rel, scorer.num_relations, known)
            counts = rel.new_zeros((3, rel.numel()))
            for batch in queries.batches(size):
                # The scores have no name, so that their memory is freed before
                # the next batch.
                query = side, given[batch.lead], rel[batch.lead]
                for rows, values in _count(score(*query), answer, batch):
                    counts[:, rows] = values
                    bar.update(rows.numel())
            counts_by_side[side] = RankCounts(*counts)
    return counts_by_side


class _Batch(NamedTuple):
    r"""A batch of queries, in descending order of their number of triples."""

    #: One triple of each query.
    lead: Tensor
    #: Triples in rounds: the first round has one triple of each query, the
    #: second another of each query that has two, and so on. All rounds have the
    #: same order of queries.
    rounds: list[Tensor]
    #: The query and the entity of each known answer, sorted by query.
    row: Tensor
    entity: Tensor
    #: The end of the known answers of each query, on the device and as a list.
    end: Tensor
    ends: list[int]


class _Queries:
    r"""The distinct queries of triples. All sizes are read from the device in
    one transfer.
    """

    def __init__(
        self,
        side: Side,
        given: Tensor,
        rel: Tensor,
        num_relations: int,
        known: AnswerIndex | None,
    ) -> None:
        _, place, count = (given * num_relations + rel).unique(
            return_inverse=True, return_counts=True
        )
        # Queries are sorted by their number of triples, triples by query.
        count, order = count.sort(descending=True, stable=True)
        self.triples = order.argsort()[place].argsort(stable=True)
        self.first = count.cumsum(0) - count
        lead = self.triples[self.first]
        self.known, self.begin = lead[:0], torch.zeros_like(count)
        self.num_known = torch.zeros_like(count)
        if known is not None:
            ranges = known.ranges(side, given[lead], rel[lead])
            self.known, self.begin, self.num_known = ranges
        self.sizes = torch.stack([count, self.num_known]).cpu()

    def batches(self, size: int) -> Iterator[_Batch]:
        r"""Yields batches of at most :obj:`size` queries."""
        for start in range(0, self.first.numel(), size):
            part = slice(start, start + size)
            count, num_known = self.sizes[:, part]
            # The number of queries that have a triple in each round.
            left = count.numel() - count.bincount().cumsum(0)[:-1]
            first = self.first[part]
            rounds = [
                self.triples[first[:num] + turn]
                for turn, num in enumerate(left.tolist())
            ]
            begin, size_known = self.begin[part], self.num_known[part]
            end, ends = size_known.cumsum(0), num_known.cumsum(0).tolist()
            row, place = expand_ranges(begin, size_known, ends[-1])
            yield _Batch(rounds[0], rounds, row, self.known[place], end, ends)


def _count(
    scores: Tensor, answer: Tensor, batch: _Batch
) -> Iterator[tuple[Tensor, Tensor]]:
    r"""Yields the triples of each round with their counts."""
    known_score = scores[batch.row, batch.entity]
    for triples in batch.rounds:
        num = triples.numel()
        right = answer[triples]
        true = scores[:num].gather(1, right[:, None])
        higher = _row_sums(scores[:num] > true)
        # Minus the answer itself.
        no_less = _row_sums(scores[:num] >= true) - 1
        others = torch.full_like(higher, scores.size(1) - 1)
        last = batch.ends[num - 1]
        if last > 0:
            # Rows are sorted, so these are the rows of the first queries.
            where, end = batch.row[:last], batch.end[:num]
            level = true.view(-1)[where]
            is_other = batch.entity[:last] != right[where]
            value = known_score[:last]
            higher -= _run_sums(is_other & (value > level), end)
            no_less -= _run_sums(is_other & (value >= level), end)
            others -= _run_sums(is_other, end)
        yield triples, torch.stack([higher, no_less - higher, others])


def _row_sums(mask: Tensor) -> Tensor:
    # A sum of 64-bit integers takes four times as long.
    return mask.sum(dim=1, dtype=torch.int32).long()


def _run_sums(mask: Tensor, end: Tensor) -> Tensor:
    total = torch.nn.functional.pad(mask.cumsum(0), (1, 0))[end]
    return total.diff(prepend=total.new_zeros(1))
