r"""Figures of a graph, without a model."""

from typing import Any

import torch

from benchmark.paper.setting import Setting
from pyg_cagp import evaluate, metrics, theory
from pyg_cagp.data import triples
from pyg_cagp.evaluate import partition_summary
from pyg_cagp.protocols import Partition, TemporalLike
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.uncertainty import StructuralUncertainty

PRESETS: tuple[Partition, ...] = ("stated", "inclusive", "appendix", "table2")
VIEWS = ("binary", "directed", "log", "tfidf", "smoothed")


def partitions(setting: Setting) -> dict[str, Any]:
    r"""Sizes of a graph, and the partition of its test triples by preset."""
    kg, coverage = setting.kg, setting.coverage
    figures: dict[str, Any] = {
        "num_nodes": int(kg.num_nodes),
        "num_relations": int(kg.num_relations),
        "num_train": int(kg.train_mask.sum()),
        "num_val": int(kg.val_mask.sum()),
        "num_test": int(kg.test_mask.sum()),
        "coverage_nnz": coverage.nnz,
        "coverage_bytes": coverage.nbytes,
        "presets": {},
        "overlap": {},
        "by_construction": {},
    }
    for preset in PRESETS:
        transform = TemporalLikeOOD.preset(preset)
        figures["presets"][preset] = partition_summary(kg, transform)
        test = TemporalLike(preset).label(kg, "test")
        figures["overlap"][preset] = {
            reference: {
                str(epsilon): share
                for epsilon, share in theory.frequency_overlap(
                    test, train=train
                ).items()
            }
            for reference, train in (
                ("id", None),
                ("train", triples(kg, "train")),
            )
        }
        figures["by_construction"][preset] = evaluate.circularity(
            coverage, *test.triples, test.label
        )
    return figures


def coverage_views(setting: Setting) -> dict[str, Any]:
    r"""Views of coverage, with ID triples from test and, as the figures of
    the paper suggest, from train.
    """
    kg, coverage = setting.kg, setting.coverage
    test = TemporalLike("table2").label(kg, "test")
    novel = test.kind == 2
    head, rel, tail = triples(kg, "train")
    draw = torch.randperm(
        rel.numel(), generator=torch.Generator().manual_seed(0)
    )[: int(novel.sum())]
    ordinary = test.kind == 0
    references = {
        "test": (test.head[ordinary], test.rel[ordinary], test.tail[ordinary]),
        "train": (head[draw], rel[draw], tail[draw]),
    }
    figures: dict[str, Any] = {}
    for view in VIEWS:
        estimator = StructuralUncertainty(coverage, view=view)
        ood = estimator(test.head[novel], test.rel[novel], test.tail[novel])
        figures[view] = {}
        for name, train in references.items():
            known = estimator(*train)
            score = torch.cat([known, ood]).double()
            label = torch.cat([torch.zeros_like(known), torch.ones_like(ood)])
            figures[view][name] = {
                "auroc": metrics.auroc(score, label.long()),
                "aupr": metrics.aupr(score, label.long()),
                "separation": float(
                    ood.double().mean() - known.double().mean()
                ),
            }
    return figures
