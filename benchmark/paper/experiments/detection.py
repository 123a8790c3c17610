r"""Detection of out-of-distribution triples."""

from collections.abc import Callable
from typing import Any

from torch_geometric.data import Data

from benchmark.paper.baselines import lookup
from benchmark.paper.lookup import KnownEvidence
from benchmark.paper.setting import Setting
from pyg_cagp import evaluate
from pyg_cagp.coverage import Coverage
from pyg_cagp.evaluate.scoring import Estimator
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.protocols import Partition, Protocol, ProtocolName
from pyg_cagp.protocols import protocol as protocol_of
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
    "semantic, max": lambda m, c: SemanticUncertainty(m, combine="max"),
    "frequency": lambda m, c: FrequencyUncertainty(c),
    "structural": lambda m, c: StructuralUncertainty(c),
    "structural, directed": lambda m, c: StructuralUncertainty(
        c, view="directed"
    ),
    "structural, log": lambda m, c: StructuralUncertainty(c, view="log"),
    "structural, tfidf": lambda m, c: StructuralUncertainty(c, view="tfidf"),
    "structural, smoothed": lambda m, c: StructuralUncertainty(
        c, view="smoothed"
    ),
    "score": lambda m, c: ScoreUncertainty(m),
    "average": lambda m, c: SimpleAverage(m, c),
    "cagp": lambda m, c: CAGP(m, c),
    "cagp, max": lambda m, c: CAGP(SemanticUncertainty(m, combine="max"), c),
    "cagp, frequency": lambda m, c: CAGP(FrequencyUncertainty(c), c),
}

#: The figures of a row that are stored.
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


def detection(
    setting: Setting,
    protocol: ProtocolName,
    preset: Partition,
    slow: list[str],
    scores: dict[str, str],
    resamples: int,
) -> dict[str, Any]:
    r"""Evaluates our methods by one protocol."""
    rule = protocol_of(protocol, preset=preset, seed=setting.seed)
    named = estimators(setting, setting.kg, setting.model, rule, slow, scores)
    name = f"own-{protocol}-{preset}-{setting.seed}"
    figures = _evaluated(setting, named, rule, resamples, name)
    alpha = {
        name: estimator.alpha
        for name, estimator in named.items()
        if isinstance(estimator, SimpleAverage)
    }
    return {**figures, "alpha": alpha}


def baselines(
    setting: Setting,
    protocol: ProtocolName,
    preset: Partition,
    slow: list[str],
    scores: dict[str, str],
    resamples: int,
) -> dict[str, Any]:
    r"""Evaluates the baselines and CAGP by one protocol."""
    rule = protocol_of(protocol, preset=preset, seed=setting.seed)
    cagp = CAGP(setting.model, setting.coverage)
    cagp.fit(setting.kg, protocol=rule)
    named: dict[str, Estimator] = {"cagp": cagp}
    named |= {method: lookup(setting, method, scores) for method in slow}
    name = f"baselines-{protocol}-{preset}-{setting.seed}"
    return _evaluated(setting, named, rule, resamples, name)


def _evaluated(
    setting: Setting,
    named: dict[str, Estimator],
    protocol: Protocol,
    resamples: int,
    name: str,
) -> dict[str, Any]:
    seed = setting.seed
    record = evaluate.ood(
        named,
        setting.kg,
        protocol=protocol,
        seed=seed,
        # Seeds are not independent graphs, so methods are compared in one.
        compare_with="cagp" if seed == 0 else None,
        num_resamples=resamples,
    )
    record.save(setting.artifacts.samples(setting.dataset, name))
    return slim(record)


def estimators(
    setting: Setting,
    kg: Data,
    model: GaussianKGEModel,
    protocol: Protocol,
    slow: list[str] | None = None,
    scores: dict[str, str] | None = None,
) -> dict[str, Estimator]:
    r"""Returns all methods, fitted on validation triples of a protocol."""
    coverage, val = Coverage.from_data(kg), protocol.label(kg, "val")
    named: dict[str, Estimator] = {
        name: make(model, coverage).fit(val) for name, make in QUICK.items()
    }
    stored = {m: lookup(setting, m, scores or {}) for m in slow or ()}
    known = stored.pop("evidence", None)
    named |= stored
    for name, use_score in (("evidence", True), ("evidence, no score", False)):
        estimator = EvidenceUncertainty(coverage, model, use_score=use_score)
        if use_score and known is not None:
            estimator.evidence = KnownEvidence(estimator.evidence, known)
        named[name] = estimator.fit(val)
    return named


def slim(record: evaluate.Result) -> dict[str, Any]:
    r"""Returns the figures of a record that tables are made of."""
    figures = record.to_dict()["metrics"]
    for rows in figures["methods"].values():
        for name, row in rows.items():
            if name == "calibration":
                if row is not None:
                    row.pop("brier_parts", None)
                continue
            rows[name] = {key: row[key] for key in FIGURES}
            if name != "overall":
                rows[name].pop("confusion")
    return figures
