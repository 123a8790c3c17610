r"""Scores of all entities as answers, whatever the model."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import torch
from torch import Tensor
from torch_geometric.nn.kge import ComplEx, DistMult, KGEModel

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.exceptions import DivergenceError
from pyg_cagp.nn.kge.query import SIDES, QueryKGEModel

#: Takes a side, the entities of the other side and relations, both of shape
#: :obj:`[B]`, and returns scores of shape :obj:`[B, num_nodes]`.
CandidateScorer: TypeAlias = Callable[[str, Tensor, Tensor], Tensor]

#: How many triples a model that only knows triples is given at a time.
MAX_TRIPLES = 2**16


def candidate_scorer(model: KGEModel) -> CandidateScorer:
    r"""Returns a function that scores all candidates of a batch of queries.

    Our own models and PyG's :class:`~torch_geometric.nn.kge.DistMult` and
    :class:`~torch_geometric.nn.kge.ComplEx` do so by one matrix product; any
    other model is called triple by triple, which is right for all of them and
    slower.

    Args:
        model (torch_geometric.nn.kge.KGEModel): The model. Weights that are
            not finite numbers are refused: nothing is larger than NaN, so it
            would rank first. So are scores that are not.

    Example:
        >>> model = DistMult(num_nodes=5, num_relations=2, hidden_channels=4)
        >>> score = candidate_scorer(model)
        >>> score("tail", torch.tensor([0, 1]), torch.tensor([0, 1])).shape
        torch.Size([2, 5])
    """
    for name, weight in model.named_parameters():
        if not torch.isfinite(weight).all():
            raise DivergenceError(
                f"'model' has weights that are not finite numbers (in '{name}')"
            )
    if isinstance(model, QueryKGEModel):
        score = _of_queries(model)
    elif type(model) is DistMult:
        score = _of_distmult(model)
    elif type(model) is ComplEx:
        score = _of_complex(model)
    else:
        score = _of_triples(model)

    def checked(side: str, given: Tensor, rel: Tensor) -> Tensor:
        check_choice("side", side, SIDES)
        scores = score(side, given, rel)
        # Finite weights can have products that are not.
        if not torch.isfinite(scores.sum(dtype=torch.double)):
            raise DivergenceError(
                "'model' gives scores that are not finite numbers"
            )
        return scores

    return checked


@contextmanager
def evaluating(model: KGEModel) -> Iterator[None]:
    r"""Puts a model into the mode of evaluation, without dropout, and back."""
    was_training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(was_training)


def _of_queries(model: QueryKGEModel) -> CandidateScorer:
    nodes = model.embed()

    def score(side: str, given: Tensor, rel: Tensor) -> Tensor:
        return model.score_candidates(side, model.embed(given), rel, nodes)

    return score


def _of_distmult(model: DistMult) -> CandidateScorer:
    nodes = model.node_emb.weight

    def score(side: str, given: Tensor, rel: Tensor) -> Tensor:
        return (model.node_emb(given) * model.rel_emb(rel)) @ nodes.t()

    return score


def _of_complex(model: ComplEx) -> CandidateScorer:
    nodes = torch.cat([model.node_emb.weight, model.node_emb_im.weight], dim=1)

    def score(side: str, given: Tensor, rel: Tensor) -> Tensor:
        given_re, given_im = model.node_emb(given), model.node_emb_im(given)
        rel_re, rel_im = model.rel_emb(rel), model.rel_emb_im(rel)
        # A head is found with the conjugate of the relation.
        sign = 1 if side == "tail" else -1
        query_re = given_re * rel_re - sign * given_im * rel_im
        query_im = given_im * rel_re + sign * given_re * rel_im
        return torch.cat([query_re, query_im], dim=1) @ nodes.t()

    return score


def _of_triples(model: KGEModel) -> CandidateScorer:
    def score(side: str, given: Tensor, rel: Tensor) -> Tensor:
        num = given.numel() * model.num_nodes
        parts = []
        for start in range(0, num, MAX_TRIPLES):
            place = torch.arange(
                start, min(start + MAX_TRIPLES, num), device=given.device
            )
            query = place // model.num_nodes
            candidate = place % model.num_nodes
            ends = (given[query], candidate)
            head, tail = ends if side == "tail" else ends[::-1]
            parts.append(model(head, rel[query], tail))
        if not parts:
            return torch.empty((0, model.num_nodes), device=given.device)
        return torch.cat(parts).view(-1, model.num_nodes)

    return score
