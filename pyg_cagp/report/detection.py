r"""The part of a report on out-of-distribution triples."""

from typing import Any

from torch import Tensor

from pyg_cagp import evaluate, metrics
from pyg_cagp.evaluate import Result
from pyg_cagp.evaluate.graph import EvaluationGraph
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.inference.evaluation import fitted_to_labels
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.protocols import PROTOCOLS, Protocol
from pyg_cagp.protocols import protocol as protocol_of
from pyg_cagp.report.curves import roc_band
from pyg_cagp.report.points import rounded, sample_points
from pyg_cagp.uncertainty import CAGP

#: The number of bins of a reliability diagram.
NUM_BINS = 10

#: The metrics of each row.
METRICS = ("num_ood", "auroc", "auroc_low", "auroc_high")


def detection(
    model: GaussianKGEModel, graph: EvaluationGraph, rule: Protocol, seed: int
) -> tuple[dict[str, Any], Result]:
    r"""Evaluates all estimators by a protocol; returns record and result."""
    signals = fitted_to_labels(model, graph, rule)
    result = evaluate.ood(signals, graph, protocol=rule, seed=seed)
    samples = result.samples
    kind = samples["kind"]
    label = (kind > 0).long()
    record: dict[str, Any] = {
        "counts": result.counts["test"],
        "verdict": result.by_construction["verdict"],
        "methods": {
            name: {
                row: {key: part[key] for key in METRICS}
                for row, part in rows.items()
                if row != "calibration"
            }
            for name, rows in result.methods.items()
        },
        "curves": {
            name: roc_band(samples[f"score/{name}"], label, seed).to_dict()
            for name in signals
        },
    }
    cagp = signals["CAGP"]
    assert isinstance(cagp, CAGP)
    test = graph.label(rule, "test")
    parts = cagp.decompose(*test.triples)
    record["alpha"] = cagp.alpha
    drawn = sample_points(kind, seed=seed)
    record["points"] = {
        "kinds": list(test.kinds),
        "kind": kind[drawn].tolist(),
        "semantic": rounded(parts.semantic.cpu()[drawn]),
        "structural": rounded(parts.structural.cpu()[drawn]),
    }
    record["reliability"] = _reliability(samples["score/evidence"], label)
    return record, result


def all_detection(
    model: GaussianKGEModel, graph: EvaluationGraph, seed: int = 0
) -> tuple[dict[str, Any], dict[str, str], list[Result]]:
    r"""Evaluates by every protocol that applies to the graph. Returns the
    records by protocol, the reasons of missing ones, and the results.
    """
    detected, missing, results = {}, {}, []
    for name, protocol in PROTOCOLS.items():
        if not protocol.applies_to(graph.kg):
            continue
        rule = protocol_of(name, seed=seed)
        try:
            detected[name], result = detection(model, graph, rule, seed)
        except InvalidInputError as error:
            missing[name] = str(error)
            continue
        results.append(result)
    return detected, missing, results


def _reliability(p: Tensor, label: Tensor) -> dict[str, Any]:
    options: dict[str, Any] = {"num_bins": NUM_BINS, "binning": "mass"}
    bins = metrics.calibration_bins(p, label, **options)
    return {
        **{name: values.tolist() for name, values in bins._asdict().items()},
        "ece": metrics.expected_calibration_error(p, label, **options),
    }
