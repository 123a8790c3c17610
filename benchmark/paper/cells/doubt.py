r"""Trained models, and what slow estimators say of all triples."""

import hashlib
import json
import time
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from benchmark.paper.cells.graphs import PRESETS
from benchmark.paper.remembered import Triples, all_triples
from benchmark.paper.rivals import RIVALS, Bench, measures
from benchmark.paper.workshop import Workshop
from pyg_cagp import evaluate, theory
from pyg_cagp.evaluate.scoring import doubts
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.uncertainty import UncertaintyEstimator
from pyg_cagp.uncertainty.features import Evidence


def model(
    workshop: Workshop,
    dataset: str,
    model: str,
    seed: int,
    changes: dict[str, Any],
) -> dict[str, Any]:
    r"""How well a model ranks, and what its variances know."""
    run = workshop.model(dataset, model, seed, changes)
    kg = workshop.kg(dataset)
    ranks = evaluate.ranking(run.model, kg)
    plain = workshop.before_posterior(dataset, run, seed)
    return {
        "test": {
            name: ranks[name] for name in ("mrr", "hits@1", "hits@3", "hits@10")
        },
        "validation": run.record["validation"],
        "seconds": run.record["seconds"],
        "prior_variance": run.record["prior_variance"],
        "config": run.record["config"],
        "presets": _theory(kg, run.model),
        "variational": None if plain is None else _theory(kg, plain),
    }


@torch.no_grad()
def _theory(kg: Data, model: GaussianKGEModel) -> dict[str, Any]:
    every = torch.arange(model.num_nodes)
    variance = model.mean_variance(every).double()
    found = {}
    for preset in PRESETS:
        data = TemporalLikeOOD.preset(preset)(kg)
        found[preset] = {
            "assumptions": theory.assumptions(data, variance),
            "theorems": theory.theorems(data, variance),
        }
    return found


def slug(name: str) -> str:
    r"""Returns a name as it stands in paths."""
    return name.replace(",", "").replace(" ", "-")


def name_of(
    dataset: str, method: str, seed: int, changes: dict[str, Any]
) -> str:
    r"""Returns the name under which a method's scores are kept: small grids
    must not find those of large ones.
    """
    text = json.dumps(changes, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"scores/{dataset}/{slug(method)}-{seed}-{digest}"


def scores(
    workshop: Workshop,
    dataset: str,
    method: str,
    backbone: str,
    seed: int,
    **options: Any,
) -> dict[str, Any]:
    r"""Fits a slow estimator and asks it about every triple."""
    bench = Bench(workshop, dataset, backbone, seed, **options)
    estimator = RIVALS[method](bench)
    began = time.perf_counter()
    if isinstance(estimator, UncertaintyEstimator):
        estimator.fit(bench.kg)
    fitted = time.perf_counter()
    triples = all_triples(bench.kg, bench.model, seed)
    asked = time.perf_counter()
    values = {
        slug(name): _evidence(asked_for, triples)
        if isinstance(asked_for, Evidence)
        else doubts(name, asked_for, triples)
        for name, asked_for in measures(method, estimator).items()
    }
    ended = time.perf_counter()
    head, rel, tail = triples
    workshop.keep(
        name_of(dataset, method, seed, bench.changes),
        head=head,
        rel=rel,
        tail=tail,
        **values,
    )
    return {
        "estimator": repr(estimator),
        "num_triples": head.numel(),
        "seconds": {"fit": fitted - began, "score": ended - asked},
    }


def _evidence(
    evidence: Evidence, triples: Triples, batch_size: int = 2**15
) -> Tensor:
    parts = zip(*(part.split(batch_size) for part in triples), strict=True)
    return torch.cat([evidence(*part) for part in parts])
