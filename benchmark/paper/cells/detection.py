r"""How well methods find what is out of distribution."""

from collections.abc import Callable
from typing import Any

from torch_geometric.data import Data

from benchmark.paper.cells.doubt import name_of, slug
from benchmark.paper.remembered import KnownEvidence, Remembered
from benchmark.paper.rivals import MEASURES
from benchmark.paper.workshop import Workshop
from pyg_cagp import evaluate
from pyg_cagp.coverage import Coverage
from pyg_cagp.evaluate.scoring import Estimator
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.uncertainty import (
    CAGP,
    EvidenceUncertainty,
    FrequencyUncertainty,
    ScoreUncertainty,
    SemanticUncertainty,
    SimpleAverage,
    StructuralUncertainty,
)

#: What needs no training beyond that of the model.
QUICK: dict[str, Callable[[GaussianKGEModel, Coverage], Any]] = {
    "semantic": lambda m, c: SemanticUncertainty(m),
    "semantic, max": lambda m, c: SemanticUncertainty(m, "max"),
    "frequency": lambda m, c: FrequencyUncertainty(c),
    "structural": lambda m, c: StructuralUncertainty(c),
    "structural, directed": lambda m, c: StructuralUncertainty(c, "directed"),
    "structural, log": lambda m, c: StructuralUncertainty(c, "log"),
    "structural, tfidf": lambda m, c: StructuralUncertainty(c, "tfidf"),
    "structural, smoothed": lambda m, c: StructuralUncertainty(c, "smoothed"),
    "score": lambda m, c: ScoreUncertainty(m),
    "average": lambda m, c: SimpleAverage(m, c),
    "cagp": lambda m, c: CAGP(m, c),
    "cagp, max": lambda m, c: CAGP(SemanticUncertainty(m, "max"), c),
    "cagp, frequency": lambda m, c: CAGP(FrequencyUncertainty(c), c),
}

#: Which figures of a row are kept.
FIGURES = (
    "num_ood",
    "num_id",
    "auroc",
    "auroc_low",
    "auroc_high",
    "aupr",
    "fpr_at_95_tpr",
    "f1",
    "accuracy",
    "confusion",
)


def remembered(
    workshop: Workshop,
    dataset: str,
    method: str,
    seed: int,
    changes: dict[str, Any],
) -> Remembered:
    r"""Returns what a slow method has said of every triple."""
    fitted, _ = MEASURES.get(method, (method, ""))
    found = workshop.kept(name_of(dataset, fitted, seed, changes))
    kg = workshop.kg(dataset)
    triples = found["head"], found["rel"], found["tail"]
    sizes = int(kg.num_nodes), int(kg.num_relations)
    return Remembered(triples, found[slug(method)], *sizes, method)


def detection(
    workshop: Workshop,
    dataset: str,
    backbone: str,
    seed: int,
    changes: dict[str, Any],
    protocol: str,
    preset: str,
    slow: list[str],
    resamples: int,
) -> dict[str, Any]:
    r"""Judges our methods by one protocol."""
    kg = workshop.kg(dataset)
    model = workshop.model(dataset, backbone, seed, changes).model
    named = estimators(
        workshop, dataset, kg, model, seed, changes, protocol, preset, slow
    )
    found = _judged(workshop, dataset, named, protocol, preset, seed, resamples)
    alpha = {
        name: made.alpha
        for name, made in named.items()
        if isinstance(made, SimpleAverage)
    }
    return {**found, "alpha": alpha}


def rivals(
    workshop: Workshop,
    dataset: str,
    backbone: str,
    seed: int,
    changes: dict[str, Any],
    protocol: str,
    preset: str,
    slow: list[str],
    resamples: int,
) -> dict[str, Any]:
    r"""Judges methods of others by one protocol, beside CAGP."""
    kg = workshop.kg(dataset)
    model = workshop.model(dataset, backbone, seed, changes).model
    named: dict[str, Estimator] = {
        "cagp": CAGP(model, Coverage.from_data(kg)).fit(
            kg, protocol=protocol, preset=preset, seed=seed
        )
    }
    for method in slow:
        named[method] = remembered(workshop, dataset, method, seed, changes)
    return _judged(workshop, dataset, named, protocol, preset, seed, resamples)


def _judged(
    workshop: Workshop,
    dataset: str,
    named: dict[str, Estimator],
    protocol: str,
    preset: str,
    seed: int,
    resamples: int,
) -> dict[str, Any]:
    record = evaluate.ood(
        named,
        workshop.kg(dataset),
        protocol,
        preset,
        seed,
        # Seeds are not independent graphs, so methods are compared in one.
        compare_with="cagp" if seed == 0 else None,
        num_resamples=resamples,
    )
    kind = "rivals" if len(named) < len(QUICK) else "own"
    file = f"{kind}-{protocol}-{preset}-{seed}.json"
    record.save(workshop.path("samples", dataset, file))
    return slim(record)


def estimators(
    workshop: Workshop,
    dataset: str,
    kg: Data,
    model: GaussianKGEModel,
    seed: int,
    changes: dict[str, Any],
    protocol: str,
    preset: str,
    slow: list[str],
) -> dict[str, Estimator]:
    r"""Returns all methods, fitted on validation triples of a protocol."""
    coverage = Coverage.from_data(kg)
    options: dict[str, Any] = {
        "protocol": protocol,
        "preset": preset,
        "seed": seed,
    }
    named: dict[str, Estimator] = {
        name: make(model, coverage).fit(kg, **options)
        for name, make in QUICK.items()
    }
    for method in slow:
        if method != "evidence":
            named[method] = remembered(workshop, dataset, method, seed, changes)
    known = (
        remembered(workshop, dataset, "evidence", seed, changes)
        if "evidence" in slow
        else None
    )
    for name, use_score in (("evidence", True), ("evidence, no score", False)):
        made = EvidenceUncertainty(coverage, model, use_score)
        if use_score and known is not None:
            made.evidence = KnownEvidence(made.evidence, known)
        named[name] = made.fit(kg, **options)
    return named


def slim(record: evaluate.Record) -> dict[str, Any]:
    r"""Returns the figures of a record that tables are made of."""
    found = record.to_dict()["metrics"]
    for rows in found["methods"].values():
        for name, row in rows.items():
            if name == "calibration":
                if row is not None:
                    row.pop("brier_parts", None)
                continue
            rows[name] = {key: row[key] for key in FIGURES}
            if name != "overall":
                rows[name].pop("confusion")
    return found
