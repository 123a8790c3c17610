"""Detection protocols against scikit-learn and against the transforms."""

import numpy as np
import pytest
import torch
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from pyg_cagp import Coverage, evaluate, metrics
from pyg_cagp.data import TripleIndex
from pyg_cagp.datasets import load
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols import (
    PROTOCOLS,
    Comprehensive,
    Standard,
    TemporalLike,
    VerifiedNegatives,
)
from pyg_cagp.transforms import TemporalLikeOOD, TimestampOOD
from tests.loops import for_each


@pytest.fixture(scope="module")
def kg():
    return load("synthetic")


@pytest.fixture(scope="module")
def dated(kg):
    return TimestampOOD(cutoff="2022-01-01", val_cutoff="2021-10-01")(kg)


def rarity(kg):
    frequency = Coverage.from_data(kg).frequency().double()
    return lambda h, r, t: 1 / (1 + frequency[h]) + 1 / (1 + frequency[t])


def graph_for(protocol, kg, dated):
    return dated if protocol == "timestamp" else kg


@for_each("protocol", PROTOCOLS)
def test_figures_equal_scikit_learn(protocol, kg, dated):
    graph = graph_for(protocol, kg, dated)
    signal = rarity(graph)
    record = evaluate.ood({"rarity": signal}, graph, protocol=protocol)
    test = PROTOCOLS[protocol]().label(graph, "test")
    label = test.label.numpy()
    score = signal(test.head, test.rel, test.tail).numpy()
    rows = record["methods"]["rarity"]
    overall = rows["overall"]
    assert overall["auroc"] == pytest.approx(roc_auc_score(label, score))
    assert overall["aupr"] == pytest.approx(
        average_precision_score(label, score)
    )
    assert overall["aupr_id"] == pytest.approx(
        average_precision_score(1 - label, -score)
    )
    flagged = score >= overall["threshold"]
    assert overall["f1"] == pytest.approx(f1_score(label, flagged))
    assert overall["accuracy"] == pytest.approx(
        float(np.mean(flagged == label))
    )
    assert overall["auroc_low"] < overall["auroc"] < overall["auroc_high"]
    for number, kind in enumerate(test.kinds[1:], start=1):
        if kind in rows:
            chosen = np.isin(test.kind.numpy(), (0, number))
            assert rows[kind]["auroc"] == pytest.approx(
                roc_auc_score(label[chosen], score[chosen])
            )
    assert record["counts"]["test"] == test.counts()
    assert record.samples["score/rarity"].tolist() == score.tolist()
    assert rows["calibration"]["brier"] <= 0.25


def test_thresholds_depend_on_validation_only(kg):
    signal = rarity(kg)
    val = Standard().label(kg, "val")
    want = metrics.best_threshold(
        signal(val.head, val.rel, val.tail), val.label
    )
    got = evaluate.ood({"x": signal}, kg, protocol="standard")["methods"]["x"]
    assert got["overall"]["threshold"] == want
    # Other test triples do not change the threshold.
    fewer = kg.clone()
    fewer.test_mask = kg.test_mask.clone()
    fewer.test_mask[kg.test_mask.nonzero().view(-1)[:100]] = False
    again = evaluate.ood({"x": signal}, fewer, protocol="temporal-like")
    full = evaluate.ood({"x": signal}, kg, protocol="temporal-like")
    assert (
        again["methods"]["x"]["overall"]["threshold"]
        == full["methods"]["x"]["overall"]["threshold"]
    )


def test_temporal_like_kinds_equal_the_transform(kg):
    for preset in ("stated", "table2", "appendix"):
        data = TemporalLikeOOD.preset(preset)(kg)
        got = TemporalLike(preset).label(kg, "val")
        assert torch.equal(got.kind, data.ood_type[data.val_mask])


def test_corrupted_triples_of_a_protocol_are_unknown(kg):
    known = TripleIndex.from_data(kg)
    for protocol, number in ((Standard, 1), (Comprehensive, 3)):
        got = protocol(seed=3).label(kg, "test")
        is_known = known.contains(got.head, got.rel, got.tail)
        assert torch.equal(is_known, got.kind != number)
        other = protocol().label(kg, "test")
        assert not torch.equal(got.tail, other.tail)
    size = int(kg.test_mask.sum())
    assert got.counts()["corrupted"] == size
    assert sum(got.counts().values()) == 2 * size


def test_timestamp_reports_with_and_without_repeats(dated):
    record = evaluate.ood({"x": rarity(dated)}, dated, protocol="timestamp")
    rows = record["methods"]["x"]
    mask = dated.test_mask
    fresh = ~dated.is_repeat[mask]
    assert rows["without repeats"]["num_ood"] == int(
        (dated.ood_label[mask] * fresh).sum()
    )
    assert rows["overall"]["num_ood"] == int(dated.ood_label[mask].sum())


def test_verified_negatives(kg):
    got = VerifiedNegatives().label(kg, "test")
    assert got.counts() == {
        "id": int(kg.test_mask.sum()),
        "false": kg.test_neg_edge_type.numel(),
    }
    assert torch.equal(got.head[got.kind == 1], kg.test_neg_edge_index[0])


def test_without_validation_there_is_no_threshold(kg):
    dated = TimestampOOD(cutoff="2022-01-01")(kg)
    rows = evaluate.ood({"x": rarity(dated)}, dated, protocol="timestamp")[
        "methods"
    ]
    assert rows["x"]["overall"]["threshold"] is None
    assert rows["x"]["overall"]["f1"] is None
    assert "calibration" not in rows["x"]


@for_each("cluster", [None, "head", "tail", "query", "entities"])
def test_comparisons(kg, cluster):
    coverage = Coverage.from_data(kg)
    estimators = {
        "structural": coverage.missing,
        "rarity": rarity(kg),
        "same": coverage.missing,
    }
    record = evaluate.ood(
        estimators,
        kg,
        compare_with="structural",
        cluster=cluster,
        num_resamples=199,
    )
    rows = {row["second"]: row for row in record["comparisons"]}
    assert set(rows) == {"rarity", "same"}
    methods = record["methods"]
    assert rows["rarity"]["difference"] == pytest.approx(
        methods["structural"]["overall"]["auroc"]
        - methods["rarity"]["overall"]["auroc"]
    )
    assert rows["same"]["p_bootstrap"] == 1
    assert rows["same"]["p_delong"] is None
    assert rows["same"]["p_delong_holm"] is None
    # DeLong's test is undefined for equal scores: it counts one test.
    assert rows["rarity"]["p_bootstrap_holm"] == pytest.approx(
        min(1, 2 * rows["rarity"]["p_bootstrap"])
    )
    assert rows["rarity"]["p_delong_holm"] == rows["rarity"]["p_delong"]


def test_names_of_estimators(kg):
    coverage = Coverage.from_data(kg)

    class Estimator:
        def __call__(self, h, r, t):
            return coverage.missing(h, r, t).double()

    assert list(evaluate.ood(Estimator(), kg)["methods"]) == ["Estimator"]
    assert list(
        evaluate.ood([Estimator(), coverage.missing], kg)["methods"]
    ) == [
        "Estimator",
        "missing",
    ]
    with pytest.raises(InvalidInputError, match="'Estimator'"):
        evaluate.ood([Estimator(), Estimator()], kg)


def test_bad_input_raises(kg, toy):
    zero = {"zero": lambda h, r, t: torch.zeros(h.numel())}
    with pytest.raises(InvalidInputError, match="'protocol'"):
        evaluate.ood(zero, kg, protocol="nonsense")
    with pytest.raises(InvalidInputError, match="TimestampOOD"):
        evaluate.ood(zero, kg, protocol="timestamp")
    with pytest.raises(InvalidInputError, match="'test_neg_edge_index'"):
        evaluate.ood(zero, toy, protocol="verified-negatives")
    with pytest.raises(InvalidInputError, match="'compare_with'"):
        evaluate.ood(zero, kg, compare_with="one")
    with pytest.raises(InvalidInputError, match="'cluster'"):
        evaluate.ood(zero, kg, cluster="relation")
    with pytest.raises(InvalidInputError, match="'estimators'"):
        evaluate.ood({}, kg)
    with pytest.raises(InvalidInputError, match="'x'"):
        evaluate.ood({"x": 1}, kg)
    with pytest.raises(InvalidInputError, match="one number"):
        evaluate.ood({"x": lambda h, r, t: torch.zeros(1)}, kg)
    with pytest.raises(InvalidInputError, match="NaN"):
        evaluate.ood({"x": lambda h, r, t: h / 0 * 0}, kg)
    only_id = kg.clone()
    data = TemporalLikeOOD()(kg)
    for kinds, missing in (((0,), "OOD"), ((1, 2), "ID")):
        only_id.test_mask = kg.test_mask & torch.isin(
            data.ood_type, torch.tensor(kinds)
        )
        with pytest.raises(InvalidInputError, match=f"no {missing}"):
            evaluate.ood(zero, only_id)
