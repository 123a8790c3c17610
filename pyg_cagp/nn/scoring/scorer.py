r"""The interface of models that score all candidates of a query."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias, runtime_checkable

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.functional import pad
from torch_geometric.data import Data

from pyg_cagp.data.kg import triples
from pyg_cagp.exceptions import DivergenceError, InvalidInputError
from pyg_cagp.nn.kge.query import QueryKGEModel
from pyg_cagp.nn.scoring import adapters
from pyg_cagp.typing import Side


@runtime_checkable
class Scorer(Protocol):
    r"""A model that scores all entities as answers. All models of
    :mod:`pyg_cagp.nn.kge` are scorers; :func:`as_scorer` wraps others.
    """

    num_nodes: int
    num_relations: int

    def score_tails(self, head_index: Tensor, rel_type: Tensor) -> Tensor:
        r"""Scores all entities as tails of :math:`(h, r, ?)`, of shape
        :obj:`[B, num_nodes]`.
        """

    def score_heads(self, rel_type: Tensor, tail_index: Tensor) -> Tensor:
        r"""Scores all entities as heads of :math:`(?, r, t)`, of shape
        :obj:`[B, num_nodes]`.
        """


#: The inputs of :func:`as_scorer`.
ScorerLike: TypeAlias = Scorer | Callable[..., Any]

#: Takes a side, the entities of the other side and relations, both of shape
#: :obj:`[B]`, and returns scores of shape :obj:`[B, num_nodes]`.
CandidateScores: TypeAlias = Callable[[Side, Tensor, Tensor], Tensor]


def as_scorer(model: ScorerLike, kg: Data | None = None) -> Scorer:
    r"""Returns a model as a :class:`Scorer`.

    * A scorer, such as a model of :mod:`pyg_cagp.nn.kge`, is not changed.
    * PyG's :class:`~torch_geometric.nn.kge.DistMult` and
      :class:`~torch_geometric.nn.kge.ComplEx` score all candidates by one
      matrix product, every other :class:`~torch_geometric.nn.kge.KGEModel`
      triple by triple.
    * An encoder with a decoder of :mod:`pyg_cagp.nn.kge`, such as
      :class:`~torch_geometric.nn.GAE`, encodes the training triples once, by
      :obj:`encode(x, edge_index, edge_type)`.
    * A PyKEEN model scores by :obj:`predict_t` and :obj:`predict_h`.
    * A function of :obj:`(head_index, rel_type, tail_index)` is called triple
      by triple.

    Args:
        model (Scorer or callable): The model.
        kg (Data, optional): The graph. If set, its numbers of entities and
            relations must be those of the model. An encoder and a function
            need it. (default: :obj:`None`)

    Example:
        >>> from torch_geometric.nn.kge import TransE
        >>> scorer = as_scorer(TransE(5, 2, hidden_channels=4))
        >>> scorer.score_tails(torch.tensor([0]), torch.tensor([1])).shape
        torch.Size([1, 5])
    """
    scorer = _as_scorer(model, kg)
    if kg is not None:
        for name in ("num_nodes", "num_relations"):
            if getattr(scorer, name) != kg[name]:
                raise InvalidInputError(
                    f"'model' was made for another graph (its '{name}' is "
                    f"{getattr(scorer, name)}, that of 'kg' is {kg[name]})"
                )
    return scorer


def _as_scorer(model: Any, kg: Data | None) -> Scorer:
    if isinstance(model, Scorer):
        return model
    if hasattr(model, "uncertainty"):
        raise InvalidInputError(
            f"'model' must be a model that scores triples (got the estimator "
            f"{type(model).__name__})"
        )
    adapter = adapters.adapter_of(model)
    if adapter is not None:
        return adapter
    decoder = getattr(model, "decoder", None)
    if hasattr(model, "encode") and isinstance(decoder, QueryKGEModel):
        kg = _required(kg)
        head, rel, tail = triples(kg, "train")
        edge_index = torch.stack([head, tail])
        with torch.no_grad(), evaluating(model):
            nodes = model.encode(kg.get("x"), edge_index, rel)
        return decoder.with_entities(nodes)
    if callable(model) and not isinstance(model, type):
        kg = _required(kg)
        return adapters.OfTriples(model, kg.num_nodes, kg.num_relations)
    raise InvalidInputError(
        f"'model' must have 'score_tails' and 'score_heads', be a KGEModel or "
        f"a PyKEEN model, an encoder with a decoder of pyg_cagp.nn.kge, or a "
        f"function of (head, relation, tail) (got {type(model).__name__})"
    )


def _required(kg: Data | None) -> Data:
    if kg is None:
        raise InvalidInputError(
            "'kg' is needed for an encoder and for a function (got None); "
            "call 'as_scorer(model, kg)' first"
        )
    return kg


def scorer_device(scorer: Scorer) -> torch.device:
    r"""Returns the device of a scorer's first parameter, or the CPU."""
    if not isinstance(scorer, Module):
        return torch.device(getattr(scorer, "device", "cpu"))
    return next(scorer.parameters(), torch.empty(0)).device


def score_triples(
    scorer: Scorer, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
) -> Tensor:
    r"""Returns the score of each triple, by a call of the scorer or, if it is
    not callable, by :obj:`score_tails`.
    """
    if callable(scorer):
        return scorer(head_index, rel_type, tail_index)
    scores = scorer.score_tails(head_index, rel_type)
    return scores.gather(1, tail_index[:, None])[:, 0]


#: The smallest number of rows of a matrix product. Products of fewer rows may
#: add in another order, so the score of a query would depend on its batch.
MIN_ROWS = 16


def finite_scores(scorer: Scorer, size: int = MIN_ROWS) -> CandidateScores:
    r"""Returns a function that scores all candidates of a batch of queries. It
    raises an error for scores that are not finite, since NaN would rank first.
    Batches of fewer than :obj:`size` queries are padded, to at most 16, so that
    a score does not depend on its batch.
    """
    if isinstance(scorer, Module):
        _check_weights(scorer)

    def score(side: Side, given: Tensor, rel: Tensor) -> Tensor:
        num, least = given.numel(), min(MIN_ROWS, size)
        if 0 < num < least:
            given, rel = (pad(x, (0, least - num)) for x in (given, rel))
        if side == "tail":
            scores = scorer.score_tails(given, rel)[:num]
        else:
            scores = scorer.score_heads(rel, given)[:num]
        # Products of finite weights can overflow.
        if not torch.isfinite(scores.sum(dtype=torch.double)):
            raise DivergenceError(
                "'model' gives scores that are not finite numbers"
            )
        return scores

    return score


def _check_weights(model: Module) -> None:
    weights = dict(model.named_parameters())
    finite = [torch.isfinite(w).all() for w in weights.values()]
    # A single transfer from the device.
    if not all(torch.stack(finite).tolist() if finite else ()):
        name = next(n for n, f in zip(weights, finite, strict=True) if not f)
        raise DivergenceError(
            f"'model' has weights that are not finite numbers (in "
            f"'{name.removeprefix('model.')}')"
        )


@contextmanager
def evaluating(scorer: object) -> Iterator[None]:
    r"""Puts a scorer into evaluation mode, and restores its mode at the end."""
    parts = list(scorer.modules()) if isinstance(scorer, Module) else []
    modes = [(part, part.training) for part in parts]
    if any(part.training for part in parts):
        parts[0].eval()
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training
