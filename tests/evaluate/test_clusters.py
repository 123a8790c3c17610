"""Clustered bootstrap intervals against clusters numbered by NumPy."""

import numpy as np
import pytest
import torch

from pyg_cagp import Coverage, GaussianDistMult, evaluate, metrics
from pyg_cagp.datasets import load
from pyg_cagp.exceptions import InvalidInputError
from tests.loops import for_each

COLUMNS = {"head": [[0]], "tail": [[2]], "query": [[0, 1]]}
COLUMNS["entities"] = [[0], [2]]


@pytest.fixture(scope="module")
def kg():
    return load("synthetic")


@pytest.fixture(scope="module")
def estimators(kg):
    coverage = Coverage.from_data(kg)
    return {
        "missing": coverage.missing,
        "count": lambda h, r, t: -coverage.count(h, r, "head").double(),
    }


def cluster_numbers(kind, samples):
    triples = np.stack([samples[name] for name in ("head", "rel", "tail")], 1)
    rows = [
        np.unique(triples[:, columns], axis=0, return_inverse=True)[1].ravel()
        for columns in COLUMNS[kind]
    ]
    return torch.from_numpy(np.stack(rows))


def interval(row):
    return row["low"], row["high"], row["p_bootstrap"]


@for_each("kind", COLUMNS)
def test_ood_intervals_by_cluster(kg, estimators, kind):
    options = {"compare_with": "count", "num_resamples": 99, "seed": 5}
    record = evaluate.ood(estimators, kg, cluster=kind, **options)
    samples = record.samples
    want = metrics.paired_bootstrap(
        samples["score/count"],
        samples["score/missing"],
        samples["kind"] > 0,
        num_resamples=99,
        cluster=cluster_numbers(kind, samples),
        seed=5,
    )
    (row,) = record["comparisons"]
    assert interval(row) == (want.low, want.high, want.p_value)
    (plain,) = evaluate.ood(estimators, kg, **options)["comparisons"]
    assert interval(plain) != interval(row)


@for_each("kind", COLUMNS)
def test_error_ranking_intervals_by_cluster(kg, estimators, kind):
    torch.manual_seed(0)
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 4)
    options = {"num_resamples": 99, "seed": 5}
    record = evaluate.error_ranking(
        model, estimators, kg, cluster=kind, **options
    )
    samples = record.samples
    error = samples["error"]
    groups = cluster_numbers(kind, samples)
    for row in record["comparisons"]:
        want = metrics.compare(
            metrics.WeightedAURC(samples[f"score/{row['first']}"], error),
            metrics.WeightedAURC(samples["uncertainty"], error),
            metrics.Resampler(error.numel(), cluster=groups),
            **options,
        )
        assert interval(row) == (want.low, want.high, want.p_value)
    with pytest.raises(InvalidInputError, match="'cluster' must be one of"):
        evaluate.error_ranking(model, estimators, kg, cluster="relation")
