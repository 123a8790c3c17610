r"""Gradients of scores by the embeddings of their entities."""

from typing import TYPE_CHECKING, TypeGuard

import torch
from torch import Tensor

if TYPE_CHECKING:
    from pyg_cagp.nn.kge import BilinearKGEModel, QueryKGEModel

#: Pairs of embeddings that are compared at a time, which bounds the memory.
MAX_PAIRS = 2**17

#: Candidates that are summed at a time.
SUM_SIZE = 2**10


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


def is_bilinear(model: "QueryKGEModel") -> TypeGuard["BilinearKGEModel"]:
    r"""Returns whether slopes do not depend on the entity they are taken by."""
    # Its package imports this one.
    from pyg_cagp.nn.kge import BilinearKGEModel

    return isinstance(model, BilinearKGEModel)


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
    if is_bilinear(model):
        rel = _rel_to_given(model, side, rel_type)
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


def slope_lengths(
    model: "QueryKGEModel", side: str, rel_type: Tensor, candidates: Tensor
) -> Tensor:
    r"""Returns, for a bilinear model, the squared length of the gradient of
    each candidate's score by the query's entity, of shape :obj:`[N, 1]`. All
    queries of a relation, given in a tensor of one number, share it.
    """
    assert is_bilinear(model)
    rel = _rel_to_given(model, side, rel_type)
    return model.map_tail(rel, candidates).square().sum(dim=1, keepdim=True)


def length_moments(
    model: "QueryKGEModel",
    side: str,
    given: Tensor,
    rel_type: Tensor,
    candidates: Tensor,
    prob: Tensor,
    times: Tensor,
    lengths: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Returns the sums of :func:`slope_moments` for a bilinear model, added up
    over channels where they are squared. Most of them take the product of a
    matrix and a vector, not of two matrices.

    Args:
        model (QueryKGEModel): The bilinear model.
        side (str): The side to answer.
        given (torch.Tensor): Embeddings, of shape :obj:`[B, channels]`.
        rel_type (torch.Tensor): The relation type, of shape :obj:`[B]`.
        candidates (torch.Tensor): Embeddings, of shape :obj:`[N, channels]`.
        prob (torch.Tensor): The probabilities :math:`p`, of shape
            :obj:`[B, N]`, which are overwritten.
        times (torch.Tensor): The factor of :math:`p (1 - p)` of each query, of
            shape :obj:`[B, 1]`.
        lengths (torch.Tensor, optional): The result of :func:`slope_lengths`
            if all queries have one relation.

    Returns:
        Tensors of shapes :obj:`[N, 1]`, :obj:`[B, channels]` and
        :obj:`[B, 1]`.
    """
    assert is_bilinear(model)
    rel = _rel_to_given(model, side, rel_type)
    first = model.map_tail(rel, prob @ candidates)
    if lengths is None:
        second = model.map_moment(rel, prob, candidates)
        second = second.sum(dim=1, keepdim=True)
    else:
        # Sums of parts round less, and differences magnify the error.
        parts = zip(
            prob.split(SUM_SIZE, 1), lengths.split(SUM_SIZE), strict=True
        )
        second = torch.stack([part @ length for part, length in parts]).sum(0)
    length = model.map_head(rel, given).square().sum(dim=1, keepdim=True)
    curve = prob.addcmul_(prob, prob, value=-1)
    return curve.t() @ (times * length), first, second


def _rel_to_given(
    model: "BilinearKGEModel", side: str, rel_type: Tensor
) -> Tensor:
    r"""The relations whose matrices map a candidate to its slope."""
    rel, is_head = model.query_rel(side, rel_type)
    return model.transpose(rel) if is_head else rel
