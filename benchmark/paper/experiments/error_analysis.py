r"""The errors of a detector."""

from typing import Any

import torch
from torch import Tensor

from benchmark.paper.setting import Setting
from pyg_cagp import metrics
from pyg_cagp.data import triples
from pyg_cagp.protocols import Standard
from pyg_cagp.uncertainty import CAGP


def error_analysis(setting: Setting) -> dict[str, Any]:
    r"""The confusion of CAGP on random tails at the threshold that is best on
    validation, and the degrees of its errors.
    """
    kg, coverage = setting.kg, setting.coverage
    protocol = Standard(setting.seed)
    val, test = protocol.label(kg, "val"), protocol.label(kg, "test")
    cagp = CAGP(setting.model, coverage).fit(val)
    threshold = metrics.best_threshold(cagp(*val.triples), val.label)
    score = cagp(*test.triples)
    counts = metrics.confusion(score, test.label, threshold)
    flagged, is_ood = score >= threshold, test.label == 1
    frequency = coverage.frequency()
    _, train_rel, _ = triples(kg, "train")
    relation = torch.bincount(train_rel, minlength=int(kg.num_relations))

    def means(chosen: Tensor) -> dict[str, float | None]:
        if not bool(chosen.any()):
            return {"tail degree": None, "relation frequency": None}
        return {
            "tail degree": float(frequency[test.tail[chosen]].double().mean()),
            "relation frequency": float(
                relation[test.rel[chosen]].double().mean()
            ),
        }

    return {
        "auroc": metrics.auroc(score, test.label),
        "threshold": threshold,
        "confusion": counts._asdict(),
        "accuracy": counts.accuracy,
        "precision": _share(counts.true_positives, counts.false_positives),
        "recall": _share(counts.true_positives, counts.false_negatives),
        "f1": counts.f1,
        "false positives": means(flagged & ~is_ood),
        "false negatives": means(~flagged & is_ood),
        "id": means(~is_ood),
        "ood": means(is_ood),
    }


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None
