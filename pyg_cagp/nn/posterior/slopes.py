r"""Gradients of scores by the embeddings of their entities."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from pyg_cagp.nn.kge import QueryKGEModel

#: Pairs of embeddings that are compared at a time, which bounds the memory.
MAX_PAIRS = 2**17


def slopes(
    model: "QueryKGEModel",
    side: str,
    given: Tensor,
    rel_type: Tensor,
    answer: Tensor,
) -> tuple[Tensor, Tensor]:
    r"""Returns the gradient of each score by the embeddings of its query's
    entity and of its answer, both of shape :obj:`[..., channels]`.
    """
    with torch.enable_grad():
        given = given.detach().clone().requires_grad_()
        answer = answer.detach().clone().requires_grad_()
        score = model.score_answer(side, given, rel_type, answer)
        by_given, by_answer = torch.autograd.grad(score.sum(), [given, answer])
    return by_given, by_answer


def slope_moments(
    model: "QueryKGEModel",
    side: str,
    given: Tensor,
    rel_type: Tensor,
    candidates: Tensor,
    mass: Tensor,
    curve: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Returns sums over the gradients of a batch of queries' scores, of which
    a curvature is made: by matrix products for bilinear models, pair by pair
    for others. The weights :obj:`mass` and :obj:`curve` have shape
    :obj:`[B, N]`.

    Returns:
        For each candidate, the sum over queries of :obj:`curve` times the
        squared slope by the candidate, of shape :obj:`[N, channels]`; for each
        query, the sum over candidates of :obj:`mass` times the slope by the
        query's entity, and times its square, of shape :obj:`[B, channels]`.
    """
    # Its package imports this one.
    from pyg_cagp.nn.kge import BilinearKGEModel

    if isinstance(model, BilinearKGEModel):
        rel, is_head = model.query_rel(side, rel_type)
        rel = model.transpose(rel) if is_head else rel
        to_candidates = curve.t() @ model.map_head(rel, given).square()
        first = model.map_tail(rel, mass @ candidates)
        return to_candidates, first, model.map_moment(rel, mass, candidates)
    to_candidates = torch.zeros_like(candidates)
    firsts, seconds = [], []
    size = max(1, MAX_PAIRS // max(1, candidates.size(0)))
    for start in range(0, rel_type.numel(), size):
        part = slice(start, start + size)
        shape = (*mass[part].shape, candidates.size(-1))
        known, rel = given[part, None].expand(shape), rel_type[part, None]
        every = candidates.expand(shape)
        by_given, by_candidate = slopes(model, side, known, rel, every)
        weight = mass[part, :, None]
        firsts.append((weight * by_given).sum(dim=1))
        seconds.append((weight * by_given.square()).sum(dim=1))
        by_candidate.square_().mul_(curve[part, :, None])
        to_candidates += by_candidate.sum(dim=0)
    return to_candidates, torch.cat(firsts), torch.cat(seconds)
