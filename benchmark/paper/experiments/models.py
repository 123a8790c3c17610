r"""Trained models, and the scores of slow baselines."""

import time
from typing import Any

import torch
from torch_geometric.data import Data

from benchmark.paper.baselines import Budget, all_scores, fitted
from benchmark.paper.experiments.graphs import PRESETS
from benchmark.paper.setting import Setting
from pyg_cagp import evaluate, theory
from pyg_cagp.data import triples
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.protocols import TemporalLike


def model(setting: Setting) -> dict[str, Any]:
    r"""The ranking of a model, and measures of its variances."""
    kg, run = setting.kg, setting.run
    ranks = evaluate.ranking(run.model, kg)
    plain = setting.artifacts.before_posterior(
        kg, run.config, setting.seed, setting.dataset
    )
    return {
        "test": {
            name: ranks[name] for name in ("mrr", "hits@1", "hits@3", "hits@10")
        },
        # The stored records have no log loss.
        "validation": {
            name: value
            for name, value in run.record["validation"].items()
            if name != "val/log_loss"
        },
        "seconds": run.record["seconds"],
        "prior_variance": run.record["prior_variance"],
        "config": run.record["config"],
        "presets": _theory(kg, run.model),
        "variational": None if plain is None else _theory(kg, plain),
    }


@torch.no_grad()
def _theory(kg: Data, model: GaussianKGEModel) -> dict[str, Any]:
    variance = model.mean_variance(torch.arange(model.num_nodes)).double()
    figures = {}
    for preset in PRESETS:
        test = TemporalLike(preset).label(kg, "test")
        figures[preset] = {
            "assumptions": theory.assumptions(
                test, variance, train=triples(kg, "train")
            ),
            "theorems": theory.theorems(test, variance),
        }
    return figures


def scores(
    setting: Setting,
    method: str,
    baseline: dict[str, Any],
    triples: int,
    members: int,
    key: list[Any],
) -> dict[str, Any]:
    r"""Fits a slow baseline and stores its scores of all triples."""
    began = time.perf_counter()
    estimator = fitted(setting, method, Budget(baseline, triples, members))
    seconds = {"fit": time.perf_counter() - began}
    began = time.perf_counter()
    tensors = setting.artifacts.tensors(
        setting.dataset,
        key,
        lambda: dict(all_scores(setting, method, estimator)),
    )
    return {
        "estimator": repr(estimator),
        "num_triples": tensors["head"].numel(),
        "seconds": {**seconds, "score": time.perf_counter() - began},
    }
