r"""Whether doubt finds the predictions that are wrong."""

from typing import Any

from benchmark.paper.cells.detection import estimators, remembered
from benchmark.paper.remembered import KnownEvidence
from benchmark.paper.workshop import Workshop
from pyg_cagp import evaluate
from pyg_cagp.coverage import Coverage
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.uncertainty import EvidenceUncertainty, StructuralUncertainty

RATES = (0.5, 0.7, 0.85, 0.95)


def error_ranking(
    workshop: Workshop,
    dataset: str,
    backbone: str,
    seed: int,
    changes: dict[str, Any],
    slow: list[str],
    resamples: int,
) -> dict[str, Any]:
    r"""Ranks predictions by our doubt. Beside detectors of OOD triples stands
    the same combination of evidence, fitted on which validation predictions
    were wrong.
    """
    kg = workshop.kg(dataset)
    model = workshop.model(dataset, backbone, seed, changes).model
    named = estimators(
        workshop,
        dataset,
        kg,
        model,
        seed,
        changes,
        "comprehensive",
        "stated",
        slow,
    )
    wrong = EvidenceUncertainty(Coverage.from_data(kg), model)
    wrong.evidence = KnownEvidence(
        wrong.evidence, remembered(workshop, dataset, "evidence", seed, changes)
    )
    val = evaluate.predictions(model, kg, "val")
    wrong.fit_labelled(*val[:3], val.error)
    named["evidence of errors"] = wrong
    return _judged(workshop, dataset, model, named, seed, resamples, "own")


def rival_errors(
    workshop: Workshop,
    dataset: str,
    backbone: str,
    seed: int,
    changes: dict[str, Any],
    slow: list[str],
    resamples: int,
) -> dict[str, Any]:
    r"""Ranks the same predictions by the doubt of other methods."""
    model = workshop.model(dataset, backbone, seed, changes).model
    named: dict[str, Any] = {
        method: remembered(workshop, dataset, method, seed, changes)
        for method in slow
    }
    return _judged(workshop, dataset, model, named, seed, resamples, "rivals")


def _judged(
    workshop: Workshop,
    dataset: str,
    model: GaussianKGEModel,
    named: dict[str, Any],
    seed: int,
    resamples: int,
    kind: str,
) -> dict[str, Any]:
    record = evaluate.error_ranking(
        model,
        named,
        workshop.kg(dataset),
        rates=RATES,
        num_resamples=resamples if seed == 0 else 1,
        seed=seed,
    )
    file = f"{kind}-errors-{seed}.json"
    record.save(workshop.path("samples", dataset, file))
    found = record.to_dict()["metrics"]
    if seed > 0:
        found.pop("comparisons")
    return found


def conformal(
    workshop: Workshop,
    dataset: str,
    backbone: str,
    seed: int,
    changes: dict[str, Any],
) -> dict[str, Any]:
    r"""Sets of answers that are to hold the right one nine times in ten, as
    they are, and widened by structural doubt.
    """
    kg = workshop.kg(dataset)
    model = workshop.model(dataset, backbone, seed, changes).model
    structural = StructuralUncertainty(Coverage.from_data(kg), "smoothed")
    options: dict[str, dict[str, Any]] = {
        "plain": {},
        "by relation": {"group": "relation"},
        # A difficulty has to be positive.
        "by structural doubt": {"difficulty": lambda *q: 1 + structural(*q)},
    }
    return {
        name: evaluate.conformal(model, kg, **chosen).to_dict()["metrics"]
        for name, chosen in options.items()
    }
