"""CAGP and the estimator of all evidence."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from pyg_cagp import Coverage, metrics
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols import Comprehensive, Standard, TemporalLike
from pyg_cagp.uncertainty import (
    CAGP,
    EvidenceUncertainty,
    FrequencyUncertainty,
    SimpleAverage,
    StructuralUncertainty,
)
from pyg_cagp.uncertainty.features import FAMILIES


def signals(estimator, labelled):
    parts = estimator.decompose(*labelled.triples)
    return torch.stack([parts.semantic, parts.structural], 1).double()


def test_total_is_the_weighted_sum_of_the_parts(
    world, model, coverage, triples
):
    for estimator in (SimpleAverage(model, coverage), CAGP(model, coverage)):
        estimator.fit(world)
        total, semantic, structural = estimator.decompose(*triples)
        want = estimator.alpha * semantic + (1 - estimator.alpha) * structural
        torch.testing.assert_close(total, want)
        torch.testing.assert_close(total, estimator(*triples))
        assert 0 <= float(semantic.min()) <= float(semantic.max()) <= 2
        binary = StructuralUncertainty(coverage)(*triples)
        torch.testing.assert_close(structural, binary)
    assert SimpleAverage(model, coverage).fit(world).alpha == 0.5


def test_weight_maximizes_the_likelihood(world, model, coverage):
    cagp = CAGP(model, coverage).fit(world, protocol="standard")
    val = Standard().label(world, "val")
    x, y = signals(cagp, val).numpy(), val.label.numpy()
    slopes = LogisticRegression(C=np.inf, tol=1e-8).fit(x, y).coef_[0]
    if slopes.min() < 0:
        # A negative slope is not allowed, so the other signal has weight 1.
        assert cagp.alpha == (0 if slopes[0] < 0 else 1)
    else:
        assert cagp.alpha == pytest.approx(slopes[0] / slopes.sum(), abs=0.01)


def test_weight_maximizes_the_auroc(world, model, coverage):
    cagp = CAGP(model, coverage, fit_by="auroc").fit(world)
    val = TemporalLike().label(world, "val")
    x = signals(cagp, val)
    best = metrics.auroc(
        x @ x.new_tensor([cagp.alpha, 1 - cagp.alpha]), val.label
    )
    for alpha in (0.0, 0.05, 0.2, 0.5, 0.8, 1.0):
        mixed = x @ x.new_tensor([alpha, 1 - alpha])
        assert best >= metrics.auroc(mixed, val.label) - 1e-12


def test_combination_has_a_larger_auroc_than_its_parts(world, coverage):
    rarity = FrequencyUncertainty(coverage)
    structural = StructuralUncertainty(coverage)
    cagp = CAGP(rarity, coverage, fit_by="auroc").fit(world)
    test = TemporalLike().label(world, "test")
    areas = [
        metrics.auroc(estimator(*test.triples), test.label)
        for estimator in (cagp, rarity, structural)
    ]
    assert areas[0] > max(areas[1:])


def test_model_and_coverage_of_two_graphs_raise(model, toy):
    with pytest.raises(InvalidInputError, match="one graph"):
        CAGP(model, Coverage.from_data(toy))
    with pytest.raises(InvalidInputError, match="'fit_by'"):
        CAGP(model, Coverage.from_data(toy), fit_by="loss")


def test_fit_without_validation_triples_raises(world, model, coverage):
    empty = world.clone()
    empty.val_mask = torch.zeros_like(world.val_mask)
    for estimator in (
        CAGP(model, coverage),
        EvidenceUncertainty(coverage, model),
    ):
        with pytest.raises(InvalidInputError, match="fit"):
            estimator.fit(empty)


@pytest.fixture(scope="module")
def evidence(world, model, coverage):
    estimator = EvidenceUncertainty(coverage, model)
    return estimator.fit(world, protocol="comprehensive")


def test_evidence_is_a_monotone_sum_of_its_parts(evidence, triples):
    parts = evidence.parts(*triples)
    assert set(parts) == set(FAMILIES)
    logit = sum(parts.values()) + evidence.intercept_
    torch.testing.assert_close(evidence(*triples), torch.sigmoid(logit))
    assert float(evidence.slopes_.min()) >= 0
    columns = evidence.evidence(*triples)
    assert columns.shape[1] == len(evidence.evidence.names)
    basis = evidence._basis(columns, evidence.knots_)
    before = (basis * evidence.slopes_).sum((1, 2))
    for column in range(columns.size(1)):
        more = columns.clone()
        more[:, column] += torch.rand(columns.size(0)).double()
        after = evidence._basis(more, evidence.knots_) * evidence.slopes_
        assert bool((after.sum((1, 2)) >= before - 1e-9).all())


def test_basis_by_hand():
    knots = torch.tensor([[0.0, 1.0, 3.0]])
    values = torch.tensor([[-1.0], [0.5], [2.0], [10.0]])
    got = EvidenceUncertainty._basis(values, knots)[:, 0]
    want = [[0, 0, 0], [0.5, 0, 0], [1, 1, 0], [1, 2, 7]]
    assert got.tolist() == want


def test_evidence_is_calibrated_and_better_than_each_column(world, evidence):
    test = Comprehensive(seed=1).label(world, "test")
    p = evidence(*test.triples)
    assert metrics.expected_calibration_error(p, test.label) < 0.05
    single = [
        metrics.auroc(column, test.label)
        for column in evidence.evidence(*test.triples).t()
    ]
    assert metrics.auroc(p, test.label) > max(single)


def test_evidence_without_a_model_or_without_its_scores(
    world, model, coverage, triples
):
    plain = EvidenceUncertainty(coverage).fit(world)
    families = {family for family, _ in plain.evidence.names}
    assert families == {"semantic", "structural"}
    assert bool((plain.parts(*triples)["score"] == 0).all())
    silent = EvidenceUncertainty(coverage, model, use_score=False)
    assert len(silent.evidence.names) == len(plain.evidence.names) + 2
