r"""Experiments with labels that come from dates."""

from typing import Any

import torch
from torch_geometric.data import Data

from benchmark.paper.experiments.detection import estimators, slim
from benchmark.paper.setting import Setting
from pyg_cagp import evaluate, metrics
from pyg_cagp.coverage import Coverage
from pyg_cagp.coverage.kinds import KINDS
from pyg_cagp.data import TripleIndex, triples
from pyg_cagp.datasets.registry import cutoffs
from pyg_cagp.protocols import Timestamp
from pyg_cagp.transforms import TemporalLikeOOD, TimestampOOD
from pyg_cagp.transforms.timestamp import week_length
from pyg_cagp.uncertainty import (
    FrequencyUncertainty,
    SemanticUncertainty,
    StructuralUncertainty,
)


def past_and_future(setting: Setting) -> Data:
    r"""Splits a dated graph, with a future for validation as well."""
    return TimestampOOD(*cutoffs(setting.dataset))(setting.kg)


def composition(setting: Setting) -> dict[str, Any]:
    r"""The composition of the future, and its detection by counts over all
    of the past, without a model.
    """
    cutoff, _ = cutoffs(setting.dataset)
    kg = TimestampOOD(cutoff=cutoff)(setting.kg)
    coverage = Coverage.from_data(kg)
    kind = TemporalLikeOOD.preset("stated")(kg)
    future = kg.test_mask & (kg.ood_label == 1)
    test = triples(kg, "test")
    label = kg.ood_label[kg.test_mask]
    fresh = ~kg.is_repeat[kg.test_mask]
    figures: dict[str, Any] = {
        "tau": kind.ood_tau,
        "future": {
            name: int((kind.ood_type[future] == number).sum())
            for number, name in enumerate(KINDS)
        },
        "share of repeats": float(kg.is_repeat[future].double().mean()),
    }
    for name, estimator in (
        ("structural", StructuralUncertainty(coverage)),
        ("frequency", FrequencyUncertainty(coverage)),
    ):
        uncertainty = estimator(*test)
        figures[name] = {
            "all": metrics.auroc(uncertainty, label),
            "without repeats": metrics.auroc(uncertainty[fresh], label[fresh]),
        }
    return figures


def timestamp(setting: Setting, resamples: int) -> dict[str, Any]:
    r"""Held-out past against future, with a model trained on the past."""
    kg = past_and_future(setting)
    named = estimators(setting, kg, setting.trained_on(kg), Timestamp())
    record = evaluate.ood(
        named,
        kg,
        protocol="timestamp",
        seed=setting.seed,
        num_resamples=resamples,
    )
    return slim(record)


def arrival(setting: Setting, num_negatives: int = 256) -> dict[str, Any]:
    r"""The future arrives week by week. The triples of each week are separated
    from the same triples with random tails, with coverage and posterior of the
    end of training, and with both updated after every week.
    """
    kg, seed = past_and_future(setting), setting.seed
    model, sizes = setting.trained_on(kg), setting.sizes
    frozen = Coverage.from_data(kg)
    growing = Coverage.from_data(kg)
    known = TripleIndex(*triples(kg), *sizes)
    then = model.mean_variance(torch.arange(sizes[0])).detach().double()
    future = kg.test_mask & (kg.ood_label == 1)
    order = torch.argsort(kg.edge_time[future], stable=True)
    edges, rel = kg.edge_index[:, future][:, order], kg.edge_type[future][order]
    time = kg.edge_time[future][order]
    week = (time - time[0]) // week_length(kg)
    generator = torch.Generator().manual_seed(seed)
    rows = []
    for number in week.unique().tolist():
        chosen = week == number
        new = edges[:, chosen], rel[chosen]
        false = torch.randint(sizes[0], new[1].shape, generator=generator)
        wrong = ~known.contains(new[0][0], new[1], false)
        batch = (
            torch.cat([new[0][0], new[0][0][wrong]]),
            torch.cat([new[1], new[1][wrong]]),
            torch.cat([new[0][1], false[wrong]]),
        )
        label = torch.arange(len(batch[0])) >= len(new[1])
        signals = {
            "structural, frozen": StructuralUncertainty(
                frozen, view="smoothed"
            ),
            "structural, updated": StructuralUncertainty(
                growing, view="smoothed"
            ),
            "semantic, updated": SemanticUncertainty(model),
        }
        before = (then[batch[0]] + then[batch[2]]) / 2
        areas = {"semantic, frozen": metrics.auroc(before, label)}
        for name, estimator in signals.items():
            areas[name] = metrics.auroc(estimator(*batch), label)
        rows.append(
            {
                "week": int(number),
                "num_triples": int(chosen.sum()),
                "auroc": areas,
            }
        )
        growing.update(*new)
        posterior = model.posterior.update(
            model,
            new[0][0],
            new[1],
            new[0][1],
            num_negatives=num_negatives,
            seed=seed,
        )
        model.set_posterior(posterior)
    return {"weeks": rows}
