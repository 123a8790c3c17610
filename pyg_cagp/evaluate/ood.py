r"""Detection of out-of-distribution triples."""

from collections.abc import Mapping, Sequence
from typing import Any

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
from pyg_cagp.evaluate.leakage import circularity
from pyg_cagp.evaluate.results import OODResult
from pyg_cagp.evaluate.scoring import (
    Estimator,
    identities,
    named_estimators,
    uncertainties,
)
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols import (
    LabelledTriples,
    Partition,
    Protocol,
    ProtocolName,
)
from pyg_cagp.protocols import protocol as protocol_of
from pyg_cagp.typing import Cluster


def ood(
    estimators: Estimator | Sequence[Estimator] | Mapping[str, Estimator],
    kg: GraphLike,
    *,
    protocol: ProtocolName | Protocol = "temporal-like",
    preset: Partition = "stated",
    seed: int = 0,
    compare_with: str | None = None,
    cluster: Cluster | None = None,
    num_resamples: int = 10_000,
    progress: bool = False,
) -> OODResult:
    r"""Evaluates how well estimators separate OOD triples from ID ones.

    The threshold of F1 and accuracy, and the map from uncertainties to
    probabilities, are fitted on validation triples that the protocol labels.
    Without both classes there, these figures are :obj:`None`. The result has

    * :obj:`counts`: the number of triples of each kind,
    * :obj:`by_construction`: how far the labels follow from frequency and
      coverage alone; see :func:`~pyg_cagp.evaluate.circularity`,
    * :obj:`methods`: for each estimator and each row (:obj:`"overall"`, each
      kind of OOD against ID, and subsets), AUROC with its interval, AUPR of
      either class, FPR at 95 % TPR, detection accuracy, F1, accuracy and
      confusion; and the calibration of its probabilities,
    * :obj:`comparisons`: if requested, every other estimator against one, by
      paired bootstrap and by DeLong's test, both corrected by Holm's method.

    Args:
        estimators (callable, sequence or mapping): One or more fitted
            estimators: each takes :obj:`(head_index, rel_type, tail_index)` and
            returns a number for each triple, higher for less trustworthy ones.
        kg (Data): The graph that they were fitted on; see
            :func:`~pyg_cagp.data.as_kg`.
        protocol (str or Protocol, optional): The protocol, or its name; see
            :mod:`pyg_cagp.protocols`. (default: :obj:`"temporal-like"`)
        preset (str or TemporalLikeOOD, optional): The rule of rarity:
            :obj:`"stated"`, :obj:`"inclusive"`, :obj:`"table2"`,
            :obj:`"appendix"`, or a
            :class:`~pyg_cagp.transforms.TemporalLikeOOD`.
            (default: :obj:`"stated"`)
        seed (int, optional): The seed of all draws. (default: :obj:`0`)
        compare_with (str, optional): The estimator to compare all others with.
            (default: :obj:`None`)
        cluster (str, optional): The unit that the bootstrap draws, as triples
            that share an entity are not independent: :obj:`"head"`,
            :obj:`"tail"`, :obj:`"query"` (head and relation), or
            :obj:`"entities"` (both ends at once). If set to :obj:`None`, draws
            triples. (default: :obj:`None`)
        num_resamples (int, optional): The number of resamples.
            (default: :obj:`10000`)
        progress (bool, optional): Shows a progress bar. (default: :obj:`False`)

    Example:
        >>> from pyg_cagp import Coverage
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> ood({"structural": Coverage.from_data(kg).missing}, kg)
        OODResult(protocol='temporal-like', seed=0)
        method      kind      num_ood   auroc    aupr  fpr_at_95_tpr      f1
        structural  overall     1,747  0.9602  0.9484         1.0000  0.9586
        structural  emerging      882  0.9212  0.8763         1.0000  0.9145
        structural  novel         865  1.0000  1.0000         0.0000  1.0000
    """
    check_choice("cluster", cluster, (None, *CLUSTERS))
    graph = EvaluationGraph.of(kg)
    named = named_estimators(estimators, graph.kg)
    if compare_with is not None and compare_with not in named:
        raise InvalidInputError(
            f"'compare_with' must be one of {', '.join(map(repr, named))} (got "
            f"{compare_with!r})"
        )
    rule = protocol_of(protocol, preset=preset, seed=seed)
    test, val = graph.label(rule, "test"), graph.label(rule, "val")
    for name, mask in (("ID", test.label == 0), ("OOD", test.label == 1)):
        if not bool(mask.any()):
            raise InvalidInputError(
                f"the test triples of '{rule.name}' have no {name} triple"
            )
    can_fit = 0 < int(val.label.sum()) < val.label.numel()
    scores, methods = {}, {}
    for name, estimator in named.items():
        scores[name] = uncertainties(name, estimator, test.triples)
        fit = uncertainties(name, estimator, val.triples) if can_fit else None
        methods[name] = _evaluate(scores[name], test, fit, val.label)
    leakage = circularity(test.coverage, *test.triples, test.label)
    figures: dict[str, Any] = {
        "counts": {"val": val.counts(), "test": test.counts()},
        "by_construction": leakage.metrics,
        "methods": methods,
    }
    if compare_with is not None:
        options = {
            "cluster": clusters(*test.triples, cluster),
            "num_resamples": num_resamples,
            "seed": seed,
            "progress": progress,
        }
        figures["comparisons"] = _compare(scores, test, compare_with, options)
    partition = getattr(rule, "partition", "stated")
    config = {
        "protocol": rule.name,
        "preset": partition if isinstance(partition, str) else repr(partition),
        "estimators": identities(named),
        "compare_with": compare_with,
        "cluster": cluster,
        "num_resamples": num_resamples,
    }
    samples = dict(zip(("head", "rel", "tail"), test.triples, strict=True))
    samples["kind"] = test.kind
    samples |= {f"score/{name}": score for name, score in scores.items()}
    return OODResult(
        rule.name, figures, config, graph.description, samples, seed
    )


def _evaluate(
    score: Tensor, test: LabelledTriples, fit: Tensor | None, fit_label: Tensor
) -> dict[str, Any]:
    threshold = None if fit is None else metrics.best_threshold(fit, fit_label)
    rows: dict[str, Any] = {}
    for row, mask in test.rows().items():
        label = test.label[mask]
        if 0 < int(label.sum()) < label.numel():
            rows[row] = _row(score[mask], label, threshold)
    if fit is not None:
        rows["calibration"] = _calibration(score, test.label, fit, fit_label)
    return rows


def _row(score: Tensor, label: Tensor, threshold: float | None) -> dict:
    area = metrics.delong_interval(score, label)
    row: dict[str, Any] = {
        "num_ood": int(label.sum()),
        "num_id": int((label == 0).sum()),
        "auroc": area.estimate,
        "auroc_low": area.low,
        "auroc_high": area.high,
        "aupr": metrics.aupr(score, label),
        "aupr_id": metrics.aupr(score, label, positive="id"),
        "fpr_at_95_tpr": metrics.fpr_at_tpr(score, label),
        "detection_accuracy": metrics.detection_accuracy(score, label),
        "threshold": threshold,
        **dict.fromkeys(("f1", "accuracy", "confusion")),
    }
    if threshold is not None:
        counts = metrics.confusion(score, label, threshold)
        row["f1"], row["accuracy"] = counts.f1, counts.accuracy
        row["confusion"] = counts._asdict()
    return row


def _calibration(
    score: Tensor, label: Tensor, fit: Tensor, fit_label: Tensor
) -> dict[str, Any] | None:
    if not bool(fit.isfinite().all() & score.isfinite().all()):
        return None
    p = metrics.PlattCalibrator().fit(fit, fit_label)(score)
    ece = metrics.expected_calibration_error
    return {
        "map": "platt",
        "ece": ece(p, label, binning="mass"),
        "ece_debiased": ece(p, label, binning="mass", debiased=True),
        "mce": metrics.maximum_calibration_error(p, label, binning="mass"),
        "brier": metrics.brier_score(p, label),
        "brier_parts": metrics.brier_parts(p, label, num_bins=15)._asdict(),
        "log_loss": metrics.log_loss(p, label),
    }


def _compare(
    scores: dict[str, Tensor],
    test: LabelledTriples,
    reference: str,
    options: dict[str, Any],
) -> list[dict[str, Any]]:
    rows = []
    for name, score in scores.items():
        if name == reference:
            continue
        pair = scores[reference], score, test.label
        result = metrics.paired_bootstrap(*pair, **options)
        p = metrics.delong_test(*pair).p_value
        rows.append({**comparison(reference, name, result), "p_delong": p})
    return with_holm(rows)
