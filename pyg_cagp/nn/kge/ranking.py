r"""Where the right answer stands among all candidates."""

from typing import NamedTuple

import torch
from torch import Tensor

from pyg_cagp.data import AnswerIndex
from pyg_cagp.exceptions import DivergenceError
from pyg_cagp.nn.kge.scoring import SIDES, QueryKGEModel


class RankCounts(NamedTuple):
    r"""How many rivals score higher than the answer, and how many the same.

    The optimistic rank is :math:`1 + \textrm{higher}`, the pessimistic one
    :math:`1 + \textrm{higher} + \textrm{equal}`, and the realistic one, which
    :meth:`rank` gives, lies in their midst.
    """

    higher: Tensor
    equal: Tensor

    def rank(self) -> Tensor:
        r"""Returns the realistic rank: the mean over all orders of ties."""
        return 1 + self.higher + self.equal / 2


@torch.no_grad()
def rank_counts(
    model: QueryKGEModel,
    head_index: Tensor,
    rel_type: Tensor,
    tail_index: Tensor,
    known: AnswerIndex | None = None,
    max_scores: int = 2**23,
) -> dict[str, RankCounts]:
    r"""Ranks the tail and the head of each triple among all entities.

    Args:
        model (QueryKGEModel): The model.
        head_index (torch.Tensor): The head indices.
        rel_type (torch.Tensor): The relation type.
        tail_index (torch.Tensor): The tail indices.
        known (AnswerIndex, optional): Triples known to be true: other answers
            than the one asked for do not count as rivals (the filtered
            setting). (default: :obj:`None`)
        max_scores (int, optional): How many scores to hold at a time, which
            bounds the memory. (default: :obj:`8388608`)

    Returns:
        The counts of each side, :obj:`"tail"` and :obj:`"head"`.
    """
    nodes = model.embed()
    relations = model.rel_emb.weight
    for name, weight in (("entities", nodes), ("relations", relations)):
        if not torch.isfinite(weight).all():
            # Nothing is larger than NaN: it would rank first.
            raise DivergenceError(
                f"'model' has {name} whose embeddings are not finite numbers"
            )
    size = max(1, max_scores // model.num_nodes)
    found: dict[str, list[RankCounts]] = {side: [] for side in SIDES}
    index = {"head": head_index, "tail": tail_index}
    for start in range(0, rel_type.numel(), size):
        rel = rel_type[start : start + size]
        for side, other in (("tail", "head"), ("head", "tail")):
            given = index[other][start : start + size]
            answer = index[side][start : start + size]
            scores = model.score_candidates(
                side, model.embed(given), rel, nodes
            )
            true = scores.gather(1, answer[:, None])
            if known is not None:
                scores[known.find(side, given, rel)] = -torch.inf
            scores.scatter_(1, answer[:, None], -torch.inf)
            found[side].append(
                RankCounts(
                    (scores > true).sum(dim=1), (scores == true).sum(dim=1)
                )
            )
    return {
        side: RankCounts(*map(torch.cat, zip(*parts, strict=True)))
        if parts
        else RankCounts(rel_type.new_empty(0), rel_type.new_empty(0))
        for side, parts in found.items()
    }
