r"""Ranking of wrong predictions by uncertainty."""

from typing import Any

from benchmark.paper.baselines import lookup
from benchmark.paper.experiments.detection import estimators
from benchmark.paper.lookup import KnownEvidence
from benchmark.paper.setting import Setting
from pyg_cagp import evaluate
from pyg_cagp.protocols import Comprehensive
from pyg_cagp.uncertainty import EvidenceUncertainty, StructuralUncertainty

RATES = (0.5, 0.7, 0.85, 0.95)


def error_ranking(
    setting: Setting, slow: list[str], scores: dict[str, str], resamples: int
) -> dict[str, Any]:
    r"""Ranks predictions by our methods: detectors of OOD triples, and the
    combination of evidence fitted on wrong validation predictions.
    """
    kg, model = setting.kg, setting.model
    protocol = Comprehensive(seed=setting.seed)
    named = estimators(setting, kg, model, protocol, slow, scores)
    of_errors = EvidenceUncertainty(setting.coverage, model)
    of_errors.evidence = KnownEvidence(
        of_errors.evidence, lookup(setting, "evidence", scores)
    )
    val = evaluate.predictions(model, kg, split="val")
    of_errors.fit_labelled(*val[:3], val.error)
    named["evidence of errors"] = of_errors
    return _evaluated(setting, named, resamples, "own")


def baseline_errors(
    setting: Setting, slow: list[str], scores: dict[str, str], resamples: int
) -> dict[str, Any]:
    r"""Ranks the same predictions by the baselines."""
    named = {method: lookup(setting, method, scores) for method in slow}
    return _evaluated(setting, named, resamples, "baselines")


def _evaluated(
    setting: Setting, named: dict[str, Any], resamples: int, kind: str
) -> dict[str, Any]:
    seed = setting.seed
    record = evaluate.error_ranking(
        setting.model,
        named,
        setting.kg,
        rates=RATES,
        num_resamples=resamples if seed == 0 else 1,
        seed=seed,
    )
    name = f"{kind}-errors-{seed}"
    record.save(setting.artifacts.samples(setting.dataset, name))
    figures = record.to_dict()["metrics"]
    if seed > 0:
        figures.pop("comparisons")
    return figures


def conformal(setting: Setting) -> dict[str, Any]:
    r"""Sets that hold the right answer for nine of ten queries, with plain
    scores, and with scores widened by structural uncertainty.
    """
    structural = StructuralUncertainty(setting.coverage, view="smoothed")
    options: dict[str, dict[str, Any]] = {
        "plain": {},
        "by relation": {"group": "relation"},
        # A difficulty has to be positive.
        "by structural uncertainty": {
            "difficulty": lambda *query: 1 + structural(*query)
        },
    }
    return {
        name: evaluate.conformal(setting.model, setting.kg, **chosen).to_dict()[
            "metrics"
        ]
        for name, chosen in options.items()
    }
