"""Circularity: an oracle of frequency and coverage."""

import pytest
import torch
from sklearn.metrics import roc_auc_score

from pyg_cagp import Coverage, evaluate
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.transforms import TemporalLikeOOD


def test_circularity_detects_labels_by_construction():
    kg = SyntheticKG(num_nodes=300, num_relations=12, num_triples=2500)[0]
    data = TemporalLikeOOD(quantile=0.25, inclusive=True)(kg)
    coverage = Coverage.from_data(data)
    head, tail = data.edge_index[:, data.test_mask]
    rel = data.edge_type[data.test_mask]
    label = (data.ood_type[data.test_mask] > 0).long()
    got = evaluate.circularity(coverage, head, rel, tail, label)
    assert got["oracle"] == 1
    by_construction = got["verdict"]
    assert got["rarity"] < 1
    missing = coverage.missing(head, rel, tail)
    assert got["structural"] == pytest.approx(roc_auc_score(label, missing))
    # Shuffled labels do not follow from frequency and coverage; the oracle is
    # the upper bound of all functions of both.
    generator = torch.Generator().manual_seed(0)
    label = label[torch.randperm(label.numel(), generator=generator)]
    got = evaluate.circularity(coverage, head, rel, tail, label)
    assert got["oracle"] < 0.9
    assert got["verdict"] != by_construction
    frequency = coverage.frequency()
    smaller = frequency[head].minimum(frequency[tail])
    for _ in range(20):
        any_function = torch.rand((3, int(smaller.max()) + 1))
        area = roc_auc_score(label, any_function[missing, smaller])
        assert area <= got["oracle"] + 1e-12
    nothing = evaluate.circularity(coverage, head, rel, tail, label * 0)
    assert nothing["oracle"] is None
