r"""What a report tells of the model's own predictions."""

from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp import evaluate
from pyg_cagp.evaluate import Result
from pyg_cagp.inference.evaluation import NUM_RESAMPLES, fitted_signals
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.report.curves import best_risk, risk_band
from pyg_cagp.report.thinning import rounded

#: How many predictions are shown at either end.
NUM_SHOWN = 8

#: Whose doubt decides which these are.
BY = "evidence"


def mistakes(
    model: GaussianKGEModel, kg: Data, seed: int = 0
) -> tuple[dict[str, Any], Result]:
    r"""Judges doubt by whether it finds the predictions that are wrong, and
    picks those that are trusted most and least.

    Args:
        model (GaussianKGEModel): The model.
        kg (Data): The graph it was trained on.
        seed (int, optional): The seed of the bootstrap. (default: :obj:`0`)

    Returns:
        What the report shows, and the record of the evaluation.
    """
    signals = fitted_signals(model, kg, "error-ranking", seed)
    record = evaluate.error_ranking(
        model, signals, kg, seed=seed, num_resamples=NUM_RESAMPLES
    )
    samples = record.samples
    error = samples["error"]
    best = best_risk(error)
    found = {
        "num_queries": record["num_queries"],
        "accuracy": record["accuracy"],
        "optimal_aurc": record["optimal_aurc"],
        "methods": {
            name: {
                "aurc": part["aurc"],
                "auroc": part["auroc"],
                "selective": part["selective"],
            }
            for name, part in record["methods"].items()
        },
        "curves": {
            name: risk_band(samples[f"score/{name}"], error, seed).to_dict()
            for name in record["methods"]
        },
        "best": rounded(best),
        "trust": _ends(kg, record, signals["CAGP"]),
    }
    return found, record


def _ends(kg: Data, record: Result, cagp: Any) -> dict[str, list[dict]]:
    samples = record.samples
    order = _distinct(record, samples[f"score/{BY}"].argsort(stable=True))
    num = min(NUM_SHOWN, order.numel() // 2)
    names, relations = _names(kg)
    found = {}
    for key, chosen in (("most", order[:num]), ("least", order.flip(0)[:num])):
        triples = [samples[part][chosen] for part in ("head", "rel", "tail")]
        parts = cagp.decompose(*triples)
        columns = {
            "asked": ["tail", "head"],
            "head": names,
            "relation": relations,
            "tail": names,
        }
        numbers = [samples["side"][chosen], *triples]
        rows = zip(
            *(
                [column[int(i)] for i in ids]
                for column, ids in zip(columns.values(), numbers, strict=True)
            ),
            (~samples["error"][chosen]).tolist(),
            rounded(samples[f"score/{BY}"][chosen]),
            rounded(parts.semantic.cpu()),
            parts.structural.cpu().tolist(),
            strict=True,
        )
        keys = (*columns, "right", "doubt", "semantic", "structural")
        found[key] = [dict(zip(keys, row, strict=True)) for row in rows]
    return found


def _distinct(record: Result, order: Tensor) -> Tensor:
    # Asking for the tail and for the head may lead to the same triple.
    triples = torch.stack(
        [record.samples[part][order] for part in ("head", "rel", "tail")]
    )
    _, group = triples.unique(dim=1, return_inverse=True)
    first = torch.full((int(group.max()) + 1,), order.numel())
    place = torch.arange(order.numel())
    first = first.scatter_reduce(0, group, place, "amin")
    return order[first.sort().values]


def _names(kg: Data) -> tuple[list[str], list[str]]:
    found = []
    for key, size in (
        ("node_names", kg.num_nodes),
        ("relation_names", kg.num_relations),
    ):
        names = kg.get(key)
        if names is None:
            names = [f"#{number}" for number in range(size)]
        found.append([str(name) for name in names])
    return found[0], found[1]
