r"""What a report tells of finding triples that are out of distribution."""

from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp import evaluate, metrics
from pyg_cagp.evaluate.record import Record
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.inference.evaluation import fitted_signals
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.protocols import PROTOCOLS
from pyg_cagp.protocols import protocol as protocol_of
from pyg_cagp.report.curves import roc_band
from pyg_cagp.report.thinning import rounded, thinned

#: How many bins a reliability diagram has.
NUM_BINS = 10

#: The weights that a mix is tried at.
NUM_WEIGHTS = 41


def detection(
    model: GaussianKGEModel, kg: Data, protocol: str, seed: int = 0
) -> tuple[dict[str, Any], Record]:
    r"""Judges both kinds of doubt, their mix and all evidence by a protocol.

    Args:
        model (GaussianKGEModel): The model.
        kg (Data): The graph it was trained on.
        protocol (str): The protocol.
        seed (int, optional): The seed of corruption and of the bootstrap.
            (default: :obj:`0`)

    Returns:
        What the report shows, and the record of the evaluation.
    """
    signals = fitted_signals(model, kg, protocol, seed)
    record = evaluate.ood(
        signals, kg, protocol_of(protocol, seed=seed), seed=seed
    )
    samples = record.samples
    kind = samples["kind"]
    label = (kind > 0).long()
    triples = samples["head"], samples["rel"], samples["tail"]
    kinds = list(record["counts"]["test"])
    found: dict[str, Any] = {
        "counts": record["counts"]["test"],
        "verdict": record["by_construction"]["verdict"],
        "methods": {
            name: {
                row: {
                    "num_ood": part["num_ood"],
                    "auroc": part["auroc"],
                    "low": part["auroc_low"],
                    "high": part["auroc_high"],
                    "fpr": part["fpr_at_95_tpr"],
                }
                for row, part in rows.items()
                if row != "calibration"
            }
            for name, rows in record["methods"].items()
        },
        "curves": {
            name: roc_band(samples[f"score/{name}"], label, seed).to_dict()
            for name in signals
        },
    }
    parts = signals["CAGP"].decompose(*triples)
    semantic, structural = parts.semantic.cpu(), parts.structural.cpu()
    found["weights"] = {
        **_weights(semantic, structural, label),
        "chosen": {
            "alpha": signals["CAGP"].alpha,
            "auroc": metrics.auroc(samples["score/CAGP"], label),
        },
    }
    chosen = thinned(kind, seed=seed)
    found["points"] = {
        "kinds": kinds,
        "kind": kind[chosen].tolist(),
        "semantic": rounded(semantic[chosen]),
        "structural": rounded(structural[chosen]),
    }
    found["reliability"] = _reliability(samples["score/evidence"], label)
    return found, record


def all_detection(
    model: GaussianKGEModel, kg: Data, seed: int = 0
) -> tuple[dict[str, Any], dict[str, str], list[Record]]:
    r"""Judges by every protocol that the graph allows.

    Args:
        model (GaussianKGEModel): The model.
        kg (Data): The graph it was trained on.
        seed (int, optional): The seed. (default: :obj:`0`)

    Returns:
        What was found by protocol, why others are missing, and the records.
    """
    found, missing, records = {}, {}, []
    for name, protocol in PROTOCOLS.items():
        if not protocol.applies_to(kg):
            continue
        try:
            found[name], record = detection(model, kg, name, seed)
        except InvalidInputError as error:
            missing[name] = str(error)
            continue
        records.append(record)
    return found, missing, records


def _weights(
    semantic: Tensor, structural: Tensor, label: Tensor
) -> dict[str, list[float]]:
    weights = torch.linspace(0, 1, NUM_WEIGHTS, dtype=torch.double)
    areas = [
        metrics.auroc(w * semantic + (1 - w) * structural, label)
        for w in weights.tolist()
    ]
    return {"alpha": weights.tolist(), "auroc": areas}


def _reliability(probability: Tensor, label: Tensor) -> dict[str, Any]:
    bins = metrics.calibration_bins(
        probability, label, num_bins=NUM_BINS, binning="mass"
    )
    return {
        "size": bins.size.tolist(),
        "confidence": bins.confidence.tolist(),
        "frequency": bins.frequency.tolist(),
        "ece": metrics.expected_calibration_error(
            probability, label, num_bins=NUM_BINS, binning="mass"
        ),
        "brier": metrics.brier_score(probability, label),
    }
