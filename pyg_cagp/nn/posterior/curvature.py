r"""The curvature of the likelihood around each entity."""

import math
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from tqdm import tqdm

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.posterior.slopes import slope_moments, slopes

if TYPE_CHECKING:
    from pyg_cagp.nn.kge import GaussianKGEModel


@torch.no_grad()
def ggn_diagonal(
    model: "GaussianKGEModel",
    head_index: Tensor,
    rel_type: Tensor,
    tail_index: Tensor,
    *,
    num_negatives: int | None = None,
    generator: torch.Generator | None = None,
    max_scores: int = 2**22,
    progress: bool = False,
    num_draws: int = 0,
) -> Tensor:
    r"""Returns the diagonal of the generalised Gauss-Newton matrix, which for a
    softmax is the Fisher information.

    Each training triple has a query for its tail and one for its head. For a
    query with probabilities :math:`p_k` over candidates, the curvature
    along one coordinate :math:`x` of any embedding is the variance of the
    scores' slopes,

    .. math::
        \textrm{Var}_{k \sim p} \left( \frac{\partial d_k}{\partial x} \right),

    which is :math:`p_k (1 - p_k) (\partial d_k / \partial x)^2` for a candidate
    and the whole variance for the query's entity. An entity that is its own
    candidate moves both at once; their covariance is counted.

    Args:
        model (GaussianKGEModel): The model.
        head_index (torch.Tensor): The head indices.
        rel_type (torch.Tensor): The relation type.
        tail_index (torch.Tensor): The tail indices.
        num_negatives (int, optional): If set, a query's candidates are its
            answer and so many entities that a batch shares, weighted to stand
            for all; by default all entities, exactly. (default: :obj:`None`)
        generator (torch.Generator, optional): The source of negatives.
            (default: :obj:`None`)
        max_scores (int, optional): How many scores to hold at a time, which
            bounds the memory. (default: :obj:`4194304`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar
            where there is a terminal. (default: :obj:`False`)
        num_draws (int, optional): The number of draws of all embeddings from
            the variances of training, over which the mean is taken; none for
            the curvature at the means. (default: :obj:`0`)

    Returns:
        The diagonal, of shape :obj:`[num_nodes, channels]`.
    """
    check_scores(model)
    if num_negatives is not None and num_negatives >= model.num_nodes:
        num_negatives = None
    if num_draws and not model.variational:
        raise InvalidInputError(
            "'num_draws' needs a model that was trained with variances "
            "(variational=True)"
        )
    diagonal = torch.zeros_like(model.embed())
    for draw in range(max(1, num_draws)):
        nodes = model.embed()
        if num_draws:
            shape, device = nodes.shape, nodes.device
            noise = torch.randn(shape, generator=generator, device=device)
            nodes = nodes + model.trained_posterior.variance().sqrt() * noise
        title = f"{draw + 1}/{num_draws}" if num_draws else ""
        for side, given, answer in (
            ("tail", head_index, tail_index),
            ("head", tail_index, head_index),
        ):
            _add_side(
                model,
                diagonal,
                nodes,
                side,
                (given, rel_type, answer),
                num_negatives,
                generator,
                max_scores,
                tqdm_options={
                    "desc": f"curvature ({side}s) {title}".strip(),
                    "disable": None if progress else True,
                },
            )
    # It is a sum of variances, but for rounding.
    return diagonal.clamp_(min=0) / max(1, num_draws)


def check_scores(model: "GaussianKGEModel") -> None:
    r"""Raises an error if scores hold variances, for which a curvature at the
    means is not defined.
    """
    if model.scores_hold_variances:
        raise InvalidInputError(
            f"{type(model).__name__} has no Laplace posterior: its scores hold "
            f"the variances; use a VariationalPosterior"
        )


def _add_side(
    model: "GaussianKGEModel",
    diagonal: Tensor,
    nodes: Tensor,
    side: str,
    triples: tuple[Tensor, Tensor, Tensor],
    num_negatives: int | None,
    generator: torch.Generator | None,
    max_scores: int,
    tqdm_options: dict[str, Any],
) -> None:
    given, rel, answer = triples
    weight = torch.ones_like(rel)
    pool, rivals = torch.arange(model.num_nodes, device=rel.device), None
    if num_negatives is None:
        # The curvature of a softmax does not depend on which answer was right.
        key = given * model.num_relations + rel
        key, weight = key.unique(return_counts=True)
        given, rel = key // model.num_relations, key % model.num_relations
    size = max(1, max_scores // (num_negatives or model.num_nodes))
    for start in tqdm(range(0, rel.numel(), size), **tqdm_options):
        part = slice(start, start + size)
        if num_negatives is not None:
            shape, device = (num_negatives,), rel.device
            pool = torch.randint(
                model.num_nodes, shape, generator=generator, device=device
            )
            rivals = answer[part]
        queries = given[part], rel[part], weight[part]
        _add_batch(model, diagonal, nodes, side, queries, pool, rivals)


def _add_batch(
    model: "GaussianKGEModel",
    diagonal: Tensor,
    nodes: Tensor,
    side: str,
    queries: tuple[Tensor, Tensor, Tensor],
    pool: Tensor,
    answer: Tensor | None,
) -> None:
    given, rel, weight = queries
    known, pool_emb = nodes[given], nodes[pool]
    scores = model.score_candidates(side, known, rel, pool_emb)
    share = 1.0
    if answer is not None:
        share = model.num_nodes / pool.numel()
        scores = scores.masked_fill(pool == answer[:, None], -math.inf)
        right = model.score_answer(side, known, rel, nodes[answer])
        others = scores.logsumexp(dim=1) + math.log(share)
        total = torch.logaddexp(others, right)
    else:
        total = scores.logsumexp(dim=1)
    prob = (scores - total[:, None]).exp()
    # A candidate of the pool stands for `share` like it.
    mass = share * prob
    times = weight[:, None].to(prob.dtype)
    to_pool, first, second = slope_moments(
        model, side, known, rel, pool_emb, mass, times * mass * (1 - prob)
    )
    diagonal.index_add_(0, pool, to_pool)
    self_mass = (mass * (pool == given[:, None])).sum(dim=1)
    if answer is not None:
        chance = (right - total).exp()
        by_given, by_answer = slopes(model, side, known, rel, nodes[answer])
        first = first + chance[:, None] * by_given
        second = second + chance[:, None] * by_given.square()
        curve = (times[:, 0] * chance * (1 - chance))[:, None]
        diagonal.index_add_(0, answer, curve * by_answer.square())
        self_mass = self_mass + chance * (answer == given)
    by_given, by_self = slopes(model, side, known, rel, known)
    both = 2 * self_mass[:, None] * by_self * (by_given - first)
    variance = second - first.square() + both
    diagonal.index_add_(0, given, times * variance)
