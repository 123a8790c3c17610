r"""Whether doubt finds the predictions that are wrong."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp import metrics
from pyg_cagp._utils.checks import check_choice
from pyg_cagp.data import AnswerIndex, TripleIndex, as_kg, triples
from pyg_cagp.evaluate.clusters import CLUSTERS, clusters
from pyg_cagp.evaluate.record import Record
from pyg_cagp.evaluate.scoring import Estimator, doubts, named_estimators
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.metrics.inputs import check_share
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.nn.scoring import as_scorer, top_answers
from pyg_cagp.nn.scoring.scorer import ScorerLike, scorer_device
from pyg_cagp.typing import HeldOut

SPLITS: tuple[HeldOut, ...] = ("val", "test")

#: The name of the doubt that every model has of itself.
BASELINE = "max probability"


class Predictions(NamedTuple):
    r"""The answers a model gives, as triples, and which of them are wrong.

    :obj:`doubt` is 1 minus the probability of the answer under the softmax over
    all candidates that were not left out.
    """

    head: Tensor
    rel: Tensor
    tail: Tensor
    side: Tensor
    error: Tensor
    doubt: Tensor


def predictions(
    model: ScorerLike, kg: Data, split: HeldOut = "test"
) -> Predictions:
    r"""Answers each distinct query of a split, on both sides.

    Answers known from the splits before it, and not of this split, are left
    out, as they need no prediction. A prediction is right if the split has it
    as a triple.

    Args:
        model (Scorer or callable): The model, or what
            :func:`~pyg_cagp.nn.scoring.as_scorer` takes.
        kg (Data): The graph.
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
    check_choice("split", split, ("val", "test"))
    sizes = kg.num_nodes, kg.num_relations
    scorer = as_scorer(model, kg)
    device = scorer_device(scorer)
    head, rel, tail = triples(kg, split)
    truth = TripleIndex(head, rel, tail, *sizes)
    before = kg.train_mask | (kg.val_mask if split == "test" else False)
    # What happens again in a dated graph is still to be predicted.
    before = before & ~truth.contains(*triples(kg))
    known = AnswerIndex(*triples(kg, before), *sizes).to(device)
    parts = []
    for number, (side, given) in enumerate(
        zip(SIDES, (head, tail), strict=True)
    ):
        query = (given * kg.num_relations + rel).unique()
        given, asked = query // kg.num_relations, query % kg.num_relations
        answer = top_answers(
            scorer, side, given.to(device), asked.to(device), known
        )
        found = answer.entity[:, 0].to(given.device)
        ends = (given, found) if side == "tail" else (found, given)
        parts.append(
            Predictions(
                ends[0],
                asked,
                ends[1],
                torch.full_like(asked, number),
                ~truth.contains(ends[0], asked, ends[1]),
                # 1 - p, without losing what is next to 0.
                -torch.expm1(answer.log_prob[:, 0]).to(given.device),
            )
        )
    return Predictions(*map(torch.cat, zip(*parts, strict=True)))


def error_ranking(
    model: ScorerLike,
    estimators: Estimator | Sequence[Estimator] | Mapping[str, Estimator],
    kg: Data,
    rates: float | Sequence[float] = (0.85,),
    risks: float | Sequence[float] = (0.5,),
    cluster: str | None = None,
    seed: int = 0,
    num_resamples: int = 10_000,
    progress: bool = False,
) -> Record:
    r"""Judges estimators by how well they tell wrong predictions from right
    ones.

    Each distinct query of the test split is answered by the best candidate, and
    estimators see the triple made of it; never the hidden answer. Beside them
    stands :obj:`"max probability"`, 1 minus the probability of the answer,
    which needs no estimator at all. The record has the model's accuracy and,
    for each method, AURC, E-AURC, AUGRC, the AUROC of errors, what answering
    at each rate, or at no more than each risk, gives with the threshold chosen
    on validation (and, in hindsight, could have given), and a paired bootstrap
    of its AURC against that of the maximum probability, corrected by Holm's
    method.

    Args:
        model (Scorer or callable): The model, or what
            :func:`~pyg_cagp.nn.scoring.as_scorer` takes.
        estimators (callable, sequence or mapping): One or more fitted
            estimators.
        kg (Data): The graph, or anything else that
            :func:`~pyg_cagp.data.as_kg` takes.
        rates (float or sequence, optional): The shares of queries to answer,
            in :math:`(0, 1]`. (default: :obj:`(0.85,)`)
        risks (float or sequence, optional): The largest shares of errors among
            answers, in :math:`[0, 1)`. (default: :obj:`(0.5,)`)
        cluster (str, optional): What is drawn as a whole by the bootstrap:
            :obj:`"head"`, :obj:`"tail"`, :obj:`"query"` or
            :obj:`"entities"`; see :func:`~pyg_cagp.evaluate.ood`. If set to
            :obj:`None`, queries. (default: :obj:`None`)
        seed (int, optional): The seed of the bootstrap. (default: :obj:`0`)
        num_resamples (int, optional): The number of resamples.
            (default: :obj:`10000`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar.
            (default: :obj:`False`)

    Example:
        >>> from pyg_cagp import Coverage, GaussianDistMult
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
        >>> coverage = {"structural": Coverage.from_data(kg).missing}
        >>> result = error_ranking(model, coverage, kg, num_resamples=99)
        >>> list(result["methods"])
        ['max probability', 'structural']
    """
    if cluster is not None:
        check_choice("cluster", cluster, CLUSTERS)
    rates = _shares("rates", rates, "(]")
    risks = _shares("risks", risks, "[)")
    kg = as_kg(kg)
    scorer = as_scorer(model, kg)
    named = named_estimators(estimators)
    if BASELINE in named:
        raise InvalidInputError(
            f"'estimators' must not use the name '{BASELINE}', which is taken"
        )
    if not bool(kg.val_mask.any()) or not bool(kg.test_mask.any()):
        raise InvalidInputError(
            "'kg' must have validation triples, to choose thresholds on, and "
            "test triples"
        )
    asked = {split: predictions(scorer, kg, split) for split in SPLITS}
    scores = {split: {BASELINE: made.doubt} for split, made in asked.items()}
    for split, made in asked.items():
        for name, estimator in named.items():
            scores[split][name] = doubts(name, estimator, made[:3])
    val, test = asked["val"], asked["test"]
    methods = {
        name: _judge(
            scores["test"][name],
            test.error,
            scores["val"][name],
            val.error,
            rates,
            risks,
        )
        for name in scores["test"]
    }
    comparisons = _compare(
        scores["test"],
        test.error,
        clusters(test.head, test.rel, test.tail, cluster),
        num_resamples,
        seed,
        progress,
    )
    found = {
        "num_queries": test.error.numel(),
        "accuracy": 1 - float(test.error.double().mean()),
        "val_accuracy": 1 - float(val.error.double().mean()),
        "optimal_aurc": metrics.optimal_aurc(test.error),
        "methods": methods,
        "comparisons": comparisons,
    }
    config = {
        "model": repr(model),
        "estimators": {name: repr(e) for name, e in named.items()},
        "rates": list(rates),
        "risks": list(risks),
        "cluster": cluster,
        "num_resamples": num_resamples,
    }
    samples = {
        **test._asdict(),
        **{f"score/{name}": score for name, score in scores["test"].items()},
    }
    return Record.make("error-ranking", kg, config, found, samples, seed)


def _shares(
    name: str, values: float | Sequence[float], ends: str
) -> tuple[float, ...]:
    # Checked at once, as the metrics see them after all queries are answered.
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


def _judge(
    score: Tensor,
    error: Tensor,
    fit: Tensor,
    fit_error: Tensor,
    rates: Sequence[float],
    risks: Sequence[float],
) -> dict[str, Any]:
    wrong = int(error.sum())
    at_risk = {}
    for risk in risks:
        threshold = metrics.threshold_for_risk(fit, fit_error, risk)
        at_risk[f"{risk:g}"] = {
            **metrics.select(score, error, threshold)._asdict(),
            "rate in hindsight": metrics.answer_rate_at(
                score, error, risk
            )._asdict(),
        }
    return {
        "aurc": metrics.aurc(score, error),
        "e_aurc": metrics.e_aurc(score, error),
        "augrc": metrics.augrc(score, error),
        "auroc": metrics.auroc(score, error)
        if 0 < wrong < error.numel()
        else None,
        "selective": {
            f"{rate:g}": metrics.select(
                score, error, metrics.threshold_for_rate(fit, rate)
            )._asdict()
            for rate in rates
        },
        "at risk": at_risk,
    }


def _compare(
    scores: dict[str, Tensor],
    error: Tensor,
    groups: Tensor | None,
    num_resamples: int,
    seed: int,
    progress: bool,
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    baseline = metrics.WeightedAURC(scores[BASELINE], error)
    for name, score in scores.items():
        if name == BASELINE:
            continue
        drawn = metrics.compare(
            metrics.WeightedAURC(score, error),
            baseline,
            metrics.Resampler(error.numel(), cluster=groups),
            num_resamples=num_resamples,
            seed=seed,
            progress=progress,
        )
        rows.append(
            {
                "first": name,
                "second": BASELINE,
                "difference": drawn.difference,
                "low": drawn.low,
                "high": drawn.high,
                "p_bootstrap": drawn.p_value,
            }
        )
    adjusted = metrics.holm([row["p_bootstrap"] for row in rows])
    for row, p in zip(rows, adjusted, strict=True):
        row["p_bootstrap_holm"] = p
    return rows
