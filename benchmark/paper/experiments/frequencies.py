r"""Frequencies of entities by kind of triple."""

from typing import Any

from torch import Tensor

from benchmark.paper.setting import Setting
from pyg_cagp.coverage.kinds import KINDS
from pyg_cagp.transforms import TemporalLikeOOD


def frequencies(setting: Setting) -> dict[str, Any]:
    r"""Test triples by kind with the frequencies of their entities, for the
    partitions of the paper and for other readings of its text.
    """
    readings = {
        **{n: TemporalLikeOOD.preset(n) for n in TemporalLikeOOD.presets},
        "stated, a self-loop counts once": TemporalLikeOOD(self_loops="once"),
        "stated, unseen entities count": TemporalLikeOOD(population="all"),
    }
    kg = setting.kg
    frequency = setting.coverage.frequency()[kg.edge_index]
    figures = {}
    for name, partition in readings.items():
        data = partition(kg)
        kind = data.ood_type.masked_fill(~data.test_mask, -1)
        figures[name] = {
            "tau": data.ood_tau,
            **{
                title: {
                    "count": int((kind == place).sum()),
                    "rarer end": _middle(frequency.amin(0)[kind == place]),
                    "both ends": _middle(frequency[:, kind == place]),
                }
                for place, title in enumerate(KINDS)
            },
        }
    return figures


def _middle(frequency: Tensor) -> dict[str, float] | None:
    if frequency.numel() == 0:
        return None
    values = frequency.flatten().double()
    return {
        "mean": float(values.mean()),
        "median": float(values.quantile(0.5)),
    }
