r"""Detection of wrong predictions by uncertainty."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
from torch import Tensor

from pyg_cagp import metrics
from pyg_cagp._utils.checks import check_choice
from pyg_cagp.evaluate.comparisons import (
    CLUSTERS,
    clusters,
    comparison,
    with_holm,
)
from pyg_cagp.evaluate.graph import EvaluationGraph, GraphLike
from pyg_cagp.evaluate.predictions import Predictions
from pyg_cagp.evaluate.results import ErrorRankingResult
from pyg_cagp.evaluate.scoring import (
    Estimator,
    identities,
    named_estimators,
    uncertainties,
)
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.metrics.inputs import check_share
from pyg_cagp.nn.scoring import as_scorer
from pyg_cagp.nn.scoring.scorer import ScorerLike
from pyg_cagp.protocols import Split
from pyg_cagp.typing import Cluster

#: The name of the baseline, 1 minus the probability of the answer.
BASELINE = "max probability"


def predictions(
    model: ScorerLike, kg: GraphLike, *, split: Split = "test"
) -> Predictions:
    r"""Answers each distinct query of a split, on both sides.

    Answers of earlier splits that are not in this split are left out, since no
    prediction is needed. A prediction is right if it is a triple of the split.

    Args:
        model (Scorer or callable): See :func:`~pyg_cagp.nn.scoring.as_scorer`.
        kg (Data): The graph; see :func:`~pyg_cagp.data.as_kg`.
        split (str, optional): :obj:`"val"` or :obj:`"test"`.
            (default: :obj:`"test"`)

    Example:
        >>> from pyg_cagp import GaussianDistMult
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
        >>> bool(predictions(model, kg).error.any())
        True
    """
    check_choice("split", split, get_args(Split))
    graph = EvaluationGraph.of(kg)
    return graph.predictions(as_scorer(model, graph.kg), split)


def error_ranking(
    model: ScorerLike,
    estimators: Estimator | Sequence[Estimator] | Mapping[str, Estimator],
    kg: GraphLike,
    *,
    rates: float | Sequence[float] = (0.85,),
    risks: float | Sequence[float] = (0.5,),
    cluster: Cluster | None = None,
    seed: int = 0,
    num_resamples: int = 10_000,
    progress: bool = False,
) -> ErrorRankingResult:
    r"""Evaluates how well estimators separate wrong predictions from right
    ones.

    The model answers each distinct query of the test split by its best
    candidate, and estimators score the triple with this answer. The baseline
    :obj:`"max probability"` is 1 minus the probability of the answer. The
    result has the accuracy of the model. For each method, it has AURC, E-AURC,
    AUGRC, the AUROC of errors, the accuracy at each answer rate and risk (with
    thresholds from validation), and a paired bootstrap of its AURC against that
    of the baseline, corrected by Holm's method.

    Args:
        model (Scorer or callable): See :func:`~pyg_cagp.nn.scoring.as_scorer`.
        estimators (callable, sequence or mapping): The fitted estimators.
        kg (Data): The graph; see :func:`~pyg_cagp.data.as_kg`.
        rates (float or sequence, optional): The shares of queries to answer,
            in :math:`(0, 1]`. (default: :obj:`(0.85,)`)
        risks (float or sequence, optional): The largest shares of errors among
            answers, in :math:`[0, 1)`. (default: :obj:`(0.5,)`)
        cluster (str, optional): The unit that the bootstrap draws:
            :obj:`"head"`, :obj:`"tail"`, :obj:`"query"` or
            :obj:`"entities"`; see :func:`~pyg_cagp.evaluate.ood`. If set to
            :obj:`None`, draws queries. (default: :obj:`None`)
        seed (int, optional): The seed of the bootstrap. (default: :obj:`0`)
        num_resamples (int, optional): The number of resamples.
            (default: :obj:`10000`)
        progress (bool, optional): Shows a progress bar. (default: :obj:`False`)

    Example:
        >>> from pyg_cagp import Coverage, GaussianDistMult
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
        >>> named = {"structural": Coverage.from_data(kg).missing}
        >>> list(error_ranking(model, named, kg, num_resamples=99).methods)
        ['max probability', 'structural']
    """
    check_choice("cluster", cluster, (None, *CLUSTERS))
    rates = _shares("rates", rates, "(]")
    risks = _shares("risks", risks, "[)")
    graph = EvaluationGraph.of(kg)
    scorer = as_scorer(model, graph.kg)
    named = named_estimators(estimators, graph.kg)
    if BASELINE in named:
        raise InvalidInputError(
            f"'estimators' must not use the baseline's name '{BASELINE}'"
        )
    masks = graph.kg.val_mask, graph.kg.test_mask
    if not all(bool(mask.any()) for mask in masks):
        raise InvalidInputError("'kg' must have validation and test triples")
    val, test = (graph.predictions(scorer, split) for split in get_args(Split))
    fit, scores = (
        {BASELINE: answers.uncertainty}
        | {n: uncertainties(n, e, answers[:3]) for n, e in named.items()}
        for answers in (val, test)
    )
    methods = {
        name: _evaluate(score, test.error, fit[name], val.error, rates, risks)
        for name, score in scores.items()
    }
    groups = clusters(*test[:3], cluster)
    resampler = metrics.Resampler(test.error.numel(), cluster=groups)
    options = {"num_resamples": num_resamples, "seed": seed}
    comparisons = _compare(
        scores, test.error, resampler, {**options, "progress": progress}
    )
    figures = {
        "num_queries": test.error.numel(),
        "accuracy": 1 - float(test.error.double().mean()),
        "val_accuracy": 1 - float(val.error.double().mean()),
        "optimal_aurc": metrics.optimal_aurc(test.error),
        "methods": methods,
        "comparisons": comparisons,
    }
    config = {
        **identities({"model": model}),
        "estimators": identities(named),
        "rates": list(rates),
        "risks": list(risks),
        "cluster": cluster,
        "num_resamples": num_resamples,
    }
    samples = test._asdict()
    samples |= {f"score/{name}": score for name, score in scores.items()}
    return ErrorRankingResult(
        "error-ranking", figures, config, graph.description, samples, seed
    )


def _shares(
    name: str, values: float | Sequence[float], ends: str
) -> tuple[float, ...]:
    try:
        shares = np.atleast_1d(np.asarray(values, dtype=float)).tolist()
        for share in shares:
            check_share(name, share, ends)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"'{name}' must be a number in {ends[0]}0, 1{ends[1]} or a "
            f"sequence of them (got {values!r})"
        ) from None
    return tuple(shares)


def _evaluate(
    score: Tensor,
    error: Tensor,
    fit: Tensor,
    fit_error: Tensor,
    rates: Sequence[float],
    risks: Sequence[float],
) -> dict[str, Any]:
    selective, at_risk = {}, {}
    for rate in rates:
        threshold = metrics.threshold_for_rate(fit, rate)
        chosen = metrics.select(score, error, threshold)
        selective[f"{rate:g}"] = chosen._asdict()
    for risk in risks:
        threshold = metrics.threshold_for_risk(fit, fit_error, risk)
        chosen = metrics.select(score, error, threshold)
        best = metrics.answer_rate_at(score, error, risk)._asdict()
        at_risk[f"{risk:g}"] = chosen._asdict() | {"rate in hindsight": best}
    return {
        "aurc": metrics.aurc(score, error),
        "e_aurc": metrics.e_aurc(score, error),
        "augrc": metrics.augrc(score, error),
        "auroc": metrics.kind_auroc(score, error.long(), 1),
        "selective": selective,
        "at risk": at_risk,
    }


def _compare(
    scores: dict[str, Tensor],
    error: Tensor,
    resampler: metrics.Resampler,
    options: dict[str, Any],
) -> list[dict[str, Any]]:
    area = {n: metrics.WeightedAURC(s, error) for n, s in scores.items()}
    baseline, rows = area.pop(BASELINE), []
    for name, first in area.items():
        result = metrics.compare(first, baseline, resampler, **options)
        rows.append(comparison(name, BASELINE, result))
    return with_holm(rows)
