r"""The part of a report on the answers of the model."""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp import evaluate
from pyg_cagp.coverage.kinds import KINDS
from pyg_cagp.evaluate import Result
from pyg_cagp.evaluate.graph import EvaluationGraph
from pyg_cagp.inference.evaluation import NUM_RESAMPLES, fitted_to_errors
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.protocols import TemporalLike, kind_of
from pyg_cagp.report.curves import best_risk, risk_band
from pyg_cagp.report.points import rounded
from pyg_cagp.uncertainty import CAGP

#: The number of answers in each table.
NUM_SHOWN = 8

#: The method that orders the answers.
BY = "evidence"


def errors(
    model: GaussianKGEModel, graph: EvaluationGraph, seed: int = 0
) -> tuple[dict[str, Any], Result]:
    r"""Evaluates the detection of wrong answers, and selects the most and the
    least certain ones; returns record and result.
    """
    signals = fitted_to_errors(model, graph)
    result = evaluate.error_ranking(
        model, signals, graph, seed=seed, num_resamples=NUM_RESAMPLES
    )
    samples = result.samples
    error = samples["error"]
    cagp = signals["CAGP"]
    assert isinstance(cagp, CAGP)
    record = {
        "num_queries": result["num_queries"],
        "accuracy": result.accuracy,
        "optimal_aurc": result.optimal_aurc,
        "methods": {
            name: {key: part[key] for key in ("aurc", "auroc", "selective")}
            for name, part in result.methods.items()
        },
        "curves": {
            name: risk_band(samples[f"score/{name}"], error, seed).to_dict()
            for name in result.methods
        },
        "best": rounded(best_risk(error)),
        "kinds": _kinds(graph, samples),
        "trust": _ends(graph.kg, samples, cagp),
    }
    return record, result


def _kinds(
    graph: EvaluationGraph, samples: dict[str, Tensor]
) -> dict[str, dict[str, Any]]:
    r"""Returns the number of answers of each kind, and the share of errors."""
    rule, coverage = TemporalLike().rule, graph.coverage
    kind = kind_of(
        coverage,
        rule.threshold(coverage.frequency()),
        *(samples[part] for part in ("head", "rel", "tail")),
        inclusive=rule.inclusive,
    )
    errors = {
        name: samples["error"][kind == number].double()
        for number, name in enumerate(KINDS)
    }
    return {
        name: {"size": error.numel(), "share": float(error.mean())}
        for name, error in errors.items()
        if error.numel()
    }


def _ends(
    kg: Data, samples: dict[str, Tensor], cagp: CAGP
) -> dict[str, list[dict]]:
    score = samples[f"score/{BY}"]
    triples = torch.stack([samples[part] for part in ("head", "rel", "tail")])
    order = score.argsort(stable=True)
    # A query for the tail and one for the head may have the same answer.
    _, first = np.unique(triples[:, order].numpy(), axis=1, return_index=True)
    order = order[np.sort(first)]
    num = min(NUM_SHOWN, order.numel() // 2)
    numbers = [f"#{i}" for i in range(max(kg.num_nodes, kg.num_relations))]
    entities = kg.get("node_names") or numbers
    relations = kg.get("relation_names") or numbers
    tables = {}
    for key, chosen in (("most", order[:num]), ("least", order.flip(0)[:num])):
        head, rel, tail = triples[:, chosen]
        parts = cagp.decompose(head, rel, tail)
        columns = {
            "side": [("tail", "head")[i] for i in samples["side"][chosen]],
            "head": [entities[i] for i in head],
            "relation": [relations[i] for i in rel],
            "tail": [entities[i] for i in tail],
            "right": (~samples["error"][chosen]).tolist(),
            "p_wrong": rounded(score[chosen]),
            "semantic": rounded(parts.semantic.cpu()),
            "structural": parts.structural.cpu().tolist(),
        }
        tables[key] = [
            dict(zip(columns, row, strict=True))
            for row in zip(*columns.values(), strict=True)
        ]
    return tables
