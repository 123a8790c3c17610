r"""The curvature of the likelihood around each entity."""

import math
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor
from tqdm import tqdm

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.posterior.exact import add_exact, distinct_queries
from pyg_cagp.nn.posterior.slopes import is_bilinear, slope_moments, slopes

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
    structure: Literal["diagonal", "isotropic"] = "diagonal",
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
        structure (str, optional): :obj:`"diagonal"` for the curvature of each
            dimension or :obj:`"isotropic"` for its mean over dimensions, which
            bilinear models compute in less time. (default: :obj:`"diagonal"`)

    Returns:
        The diagonal, of shape :obj:`[num_nodes, channels]`, or
        :obj:`[num_nodes, 1]` if isotropic.
    """
    check_scores(model)
    check_choice("structure", structure, ("diagonal", "isotropic"))
    if num_negatives is not None and num_negatives >= model.num_nodes:
        num_negatives = None
    if num_draws and not model.variational:
        raise InvalidInputError(
            "'num_draws' needs a model that was trained with variances "
            "(variational=True)"
        )
    triples = head_index, rel_type, tail_index
    exact, isotropic = num_negatives is None, structure == "isotropic"
    queries = distinct_queries(model, *triples) if exact else []
    num_nodes, channels = model.embed().shape
    # Of a sum over channels, each candidate has one number.
    summed = exact and isotropic and is_bilinear(model)
    diagonal = model.embed().new_zeros(num_nodes, 1 if summed else channels)
    for draw in range(max(1, num_draws)):
        nodes = model.embed()
        if num_draws:
            shape, device = nodes.shape, nodes.device
            noise = torch.randn(shape, generator=generator, device=device)
            nodes = nodes + model.trained_posterior.variance().sqrt() * noise
        title = f"curvature {draw + 1}/{max(1, num_draws)}"
        bar = {"desc": title, "disable": None if progress else True}
        for part in queries:
            add_exact(model, diagonal, nodes, part, max_scores, bar)
        if num_negatives is not None:
            sampling = num_negatives, generator, max_scores
            _add_sampled(model, diagonal, nodes, triples, *sampling, bar)
    # It is a sum of variances, but for rounding.
    diagonal = diagonal.clamp_(min=0) / max(1, num_draws)
    if summed:
        return diagonal / channels
    return diagonal.mean(dim=1, keepdim=True) if isotropic else diagonal


def check_scores(model: "GaussianKGEModel") -> None:
    r"""Raises an error if scores hold variances, for which a curvature at the
    means is not defined.
    """
    if model.scores_hold_variances:
        raise InvalidInputError(
            f"{type(model).__name__} has no Laplace posterior: its scores hold "
            f"the variances; use a VariationalPosterior"
        )


def _add_sampled(
    model: "GaussianKGEModel",
    diagonal: Tensor,
    nodes: Tensor,
    triples: tuple[Tensor, Tensor, Tensor],
    num_negatives: int,
    generator: torch.Generator | None,
    max_scores: int,
    tqdm_options: dict[str, Any],
) -> None:
    head, rel, tail = triples
    size = max(1, max_scores // num_negatives)
    shape, device = (num_negatives,), rel.device
    for side, given, answer in (("tail", head, tail), ("head", tail, head)):
        for start in tqdm(range(0, rel.numel(), size), **tqdm_options):
            part = slice(start, start + size)
            pool = torch.randint(
                model.num_nodes, shape, generator=generator, device=device
            )
            batch = given[part], rel[part], answer[part]
            _add_batch(model, diagonal, nodes, side, batch, pool)


def _add_batch(
    model: "GaussianKGEModel",
    diagonal: Tensor,
    nodes: Tensor,
    side: str,
    batch: tuple[Tensor, Tensor, Tensor],
    pool: Tensor,
) -> None:
    given, rel, answer = batch
    known, pool_emb = nodes[given], nodes[pool]
    scores = model.score_candidates(side, known, rel, pool_emb)
    # A candidate of the pool stands for `share` like it.
    share = model.num_nodes / pool.numel()
    scores = scores.masked_fill(pool == answer[:, None], -math.inf)
    right = model.score_answer(side, known, rel, nodes[answer])
    others = scores.logsumexp(dim=1) + math.log(share)
    total = torch.logaddexp(others, right)
    prob = (scores - total[:, None]).exp()
    mass = share * prob
    to_pool, first, second = slope_moments(
        model, side, known, rel, pool_emb, mass, mass * (1 - prob)
    )
    diagonal.index_add_(0, pool, to_pool)
    self_mass = (mass * (pool == given[:, None])).sum(dim=1)
    chance = (right - total).exp()
    by_given, by_answer = slopes(model, side, known, rel, nodes[answer])
    first = first + chance[:, None] * by_given
    second = second + chance[:, None] * by_given.square()
    curve = (chance * (1 - chance))[:, None]
    diagonal.index_add_(0, answer, curve * by_answer.square())
    self_mass = self_mass + chance * (answer == given)
    by_given, by_self = slopes(model, side, known, rel, known)
    both = 2 * self_mass[:, None] * by_self * (by_given - first)
    diagonal.index_add_(0, given, second - first.square() + both)
