r"""What the calendar says: labels that come from no signal."""

from typing import Any

import torch
from torch_geometric.data import Data

from benchmark.paper.cells.detection import estimators, slim
from benchmark.paper.workshop import Workshop
from pyg_cagp import evaluate, metrics
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import TripleIndex, split_edges
from pyg_cagp.nn.posterior import update_posterior
from pyg_cagp.transforms import TemporalLikeOOD, TimestampOOD
from pyg_cagp.uncertainty import (
    FrequencyUncertainty,
    SemanticUncertainty,
    StructuralUncertainty,
)

#: Where the future of test begins, and that of validation before it.
CUTOFFS: dict[str, tuple[Any, Any]] = {
    "icews14": ("2014-10-01", "2014-09-01"),
}
SHARES = (0.75, 0.65)


def past_and_future(kg: Data, dataset: str) -> Data:
    r"""Splits a dated graph, with a future for validation as well."""
    cutoff, val_cutoff = CUTOFFS.get(dataset, SHARES)
    return TimestampOOD(cutoff, val_cutoff)(kg)


def composition(workshop: Workshop, dataset: str) -> dict[str, Any]:
    r"""What the future consists of, and what counts know of it, without any
    model and with all of the past to count in.
    """
    cutoff, _ = CUTOFFS.get(dataset, SHARES)
    kg = TimestampOOD(cutoff)(workshop.kg(dataset))
    coverage = Coverage.from_data(kg)
    kind = TemporalLikeOOD.preset("stated")(kg)
    future = kg.test_mask & (kg.ood_label == 1)
    head, tail = kg.edge_index[:, kg.test_mask]
    triples = head, kg.edge_type[kg.test_mask], tail
    label = kg.ood_label[kg.test_mask]
    fresh = ~kg.is_repeat[kg.test_mask]
    found: dict[str, Any] = {
        "tau": kind.ood_tau,
        "future": {
            name: int((kind.ood_type[future] == number).sum())
            for number, name in enumerate(("id", "emerging", "novel"))
        },
        "share of repeats": float(kg.is_repeat[future].double().mean()),
    }
    for name, made in (
        ("structural", StructuralUncertainty(coverage)),
        ("frequency", FrequencyUncertainty(coverage)),
    ):
        doubt = made(*triples)
        found[name] = {
            "all": metrics.auroc(doubt, label),
            "without repeats": metrics.auroc(doubt[fresh], label[fresh]),
        }
    return found


def timestamp(
    workshop: Workshop,
    dataset: str,
    backbone: str,
    seed: int,
    changes: dict[str, Any],
    resamples: int,
) -> dict[str, Any]:
    r"""Held-out past against future, with a model that saw only the past."""
    kg = past_and_future(workshop.kg(dataset), dataset)
    model = workshop.model(dataset, backbone, seed, changes, kg).model
    named = estimators(
        workshop, dataset, kg, model, seed, changes, "timestamp", "stated", []
    )
    record = evaluate.ood(
        named, kg, "timestamp", seed=seed, num_resamples=resamples
    )
    return slim(record)


def arrival(
    workshop: Workshop,
    dataset: str,
    backbone: str,
    seed: int,
    changes: dict[str, Any],
    num_negatives: int = 256,
) -> dict[str, Any]:
    r"""The future arrives week by week. True triples of each week are told from
    the same with random tails, with what was known when training ended, and
    with coverage and posterior brought up to date after every week.
    """
    kg = past_and_future(workshop.kg(dataset), dataset)
    model = workshop.model(dataset, backbone, seed, changes, kg).model
    edges, rel = split_edges(kg, "train")
    sizes = int(kg.num_nodes), int(kg.num_relations)
    frozen = Coverage.from_data(kg)
    growing = Coverage.from_edges(edges, rel, *sizes)
    known = TripleIndex(kg.edge_index, kg.edge_type, *sizes)
    then = model.mean_variance(torch.arange(sizes[0])).detach().double()
    future = kg.test_mask & (kg.ood_label == 1)
    order = torch.argsort(kg.edge_time[future], stable=True)
    arriving = kg.edge_index[:, future][:, order], kg.edge_type[future][order]
    week = kg.edge_time[future][order]
    unit = _week_length(kg)
    number = torch.div(week - week[0], unit, rounding_mode="floor")
    generator = torch.Generator().manual_seed(seed)
    rows = []
    for this in number.unique().tolist():
        chosen = number == this
        (head, tail), kind = arriving[0][:, chosen], arriving[1][chosen]
        false = torch.randint(sizes[0], tail.shape, generator=generator)
        wrong = ~known.contains(head, kind, false)
        triples = (
            torch.cat([head, head[wrong]]),
            torch.cat([kind, kind[wrong]]),
            torch.cat([tail, false[wrong]]),
        )
        label = torch.cat(
            [torch.zeros_like(head), torch.ones_like(head[wrong])]
        )
        row: dict[str, Any] = {
            "week": int(this),
            "num_triples": int(chosen.sum()),
        }
        before = (then[triples[0]] + then[triples[2]]) / 2
        signals = {
            "structural, frozen": StructuralUncertainty(frozen, "smoothed"),
            "structural, updated": StructuralUncertainty(growing, "smoothed"),
            "semantic, updated": SemanticUncertainty(model),
        }
        row["auroc"] = {
            "semantic, frozen": metrics.auroc(before, label),
            **{
                name: metrics.auroc(made(*triples), label)
                for name, made in signals.items()
            },
        }
        rows.append(row)
        new = torch.stack([head, tail])
        growing.update(new, kind)
        update_posterior(model, new, kind, num_negatives, seed)
    return {"weeks": rows}


def _week_length(kg: Data) -> int:
    # The time of a graph is in days or in seconds.
    span = int(kg.edge_time.max() - kg.edge_time.min())
    return 7 if span < 100_000 else 7 * 24 * 3600
