r"""Evaluation of a run on the graph that it was trained on."""

from pathlib import Path
from typing import Any, get_args

import torch

from pyg_cagp import evaluate
from pyg_cagp._utils.checks import check_choice
from pyg_cagp._utils.files import check_target
from pyg_cagp.datasets import load
from pyg_cagp.evaluate import Result
from pyg_cagp.evaluate.graph import EvaluationGraph
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.protocols import Protocol, TemporalLike
from pyg_cagp.protocols import protocol as protocol_of
from pyg_cagp.train import load_run
from pyg_cagp.transforms import TimestampOOD
from pyg_cagp.typing import RunProtocol
from pyg_cagp.uncertainty import (
    CAGP,
    EvidenceUncertainty,
    SemanticUncertainty,
    StructuralUncertainty,
    UncertaintyEstimator,
)

#: The protocols that evaluate a run.
PROTOCOLS: tuple[RunProtocol, ...] = get_args(RunProtocol)

#: The number of resamples of the bootstrap.
NUM_RESAMPLES = 1000


def evaluate_run(
    run_folder: str | Path,
    protocol: RunProtocol,
    *,
    root: str | Path | None = None,
    dataset: str | Path | None = None,
    device: torch.device | str = "cpu",
    seed: int = 0,
    progress: bool = False,
) -> Result:
    r"""Evaluates the trained model of a run, without its updates, and writes
    the result into its folder as :obj:`evaluate-PROTOCOL.json`.

    Estimators are fitted on validation triples that the same protocol labels.
    For :obj:`"error-ranking"`, the evidence is fitted on validation errors of
    the model, and CAGP on the protocol :obj:`"temporal-like"`.
    """
    check_choice("protocol", protocol, PROTOCOLS)
    target = Path(run_folder) / f"evaluate-{protocol}.json"
    check_target(target)
    run = load_run(run_folder, device=device)
    graph = graph_of(run.record, root=root, dataset=dataset)
    if protocol == "timestamp" and "ood_label" not in graph.kg:
        raise InvalidInputError(
            f"the graph of '{run_folder}' was not split by time; train a run "
            f"with 'pyg-cagp train DATASET --by-time'"
        )
    result = _evaluate(run.model, graph, protocol, seed, progress)
    result.save(target)
    return result


def _evaluate(
    model: GaussianKGEModel,
    graph: EvaluationGraph,
    protocol: RunProtocol,
    seed: int,
    progress: bool,
) -> Result:
    if protocol == "ranking":
        return evaluate.ranking(model, graph, progress=progress)
    if protocol == "conformal":
        return evaluate.conformal(model, graph, progress=progress)
    if protocol == "error-ranking":
        return evaluate.error_ranking(
            model,
            fitted_to_errors(model, graph),
            graph,
            seed=seed,
            num_resamples=NUM_RESAMPLES,
            progress=progress,
        )
    rule = protocol_of(protocol, seed=seed)
    named = fitted_to_labels(model, graph, rule)
    return evaluate.ood(named, graph, protocol=rule, seed=seed)


def graph_of(
    record: dict[str, Any],
    *,
    root: str | Path | None = None,
    dataset: str | Path | None = None,
) -> EvaluationGraph:
    r"""Loads the graph that a run was trained on, and checks its digest."""
    name = dataset or record["dataset"]
    if not name:
        raise InvalidInputError(
            "the record of the run has no name of a graph; pass it (--dataset)"
        )
    kg = load(name, root=root, seed=record["seed"])
    if record["time_cut"] is not None and "edge_time" in kg:
        kg = TimestampOOD(**record["time_cut"])(kg)
    # Training has checked the graph of this digest.
    graph = EvaluationGraph(kg)
    if graph.description["sha256"] != record["graph"]["sha256"]:
        raise InvalidInputError(
            f"the graph '{name}' is not the one that the run was trained on: "
            f"its triples, splits or names have changed since"
        )
    return graph


def fitted_to_labels(
    model: GaussianKGEModel, graph: EvaluationGraph, rule: Protocol
) -> dict[str, UncertaintyEstimator]:
    r"""Returns the estimators of a run, fitted on validation triples that a
    protocol has labelled.
    """
    named = _estimators(model, graph)
    for estimator in named.values():
        estimator.fit(graph.label(rule, "val"))
    return named


def fitted_to_errors(
    model: GaussianKGEModel, graph: EvaluationGraph
) -> dict[str, UncertaintyEstimator]:
    r"""Returns the estimators of a run, with evidence fitted on the errors of
    the model in validation. Some of its answers must be wrong and some right.
    """
    if not bool(graph.kg.val_mask.any()):
        raise InvalidInputError("the graph has no validation triple")
    val = graph.predictions(model, "val")
    if len(kinds := val.error.bool().unique()) == 1:
        raise InvalidInputError(
            f"the model's answers to validation queries are all "
            f"{'wrong' if kinds.item() else 'right'}, so no estimator can be "
            f"fitted to its errors"
        )
    named = _estimators(model, graph)
    named["CAGP"].fit(graph.label(TemporalLike(), "val"))
    evidence = named["evidence"]
    assert isinstance(evidence, EvidenceUncertainty)
    evidence.fit_labelled(val.head, val.rel, val.tail, val.error)
    return named


def _estimators(
    model: GaussianKGEModel, graph: EvaluationGraph
) -> dict[str, UncertaintyEstimator]:
    coverage = graph.coverage_on(next(model.parameters()).device)
    return {
        "semantic": SemanticUncertainty(model),
        "structural": StructuralUncertainty(coverage),
        "CAGP": CAGP(model, coverage),
        "evidence": EvidenceUncertainty(coverage, model),
    }
