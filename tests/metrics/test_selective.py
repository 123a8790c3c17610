"""Selective answering against all orders of ties, thresholds and subsets."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from pyg_cagp.metrics import (
    accuracy_at,
    answer_rate_at,
    augrc,
    aurc,
    e_aurc,
    optimal_aurc,
    risk_coverage_curve,
    select,
    threshold_for_rate,
    threshold_for_risk,
)
from tests.loops import for_each


def orders(uncertainty):
    """All orders from the most certain to the least, however ties fall."""
    for order in itertools.permutations(range(len(uncertainty))):
        places = [uncertainty[i] for i in order]
        if places == sorted(places):
            yield order


def mean_risks(uncertainty, loss):
    """The mean loss of the first k, averaged over all orders."""
    rows = []
    for order in orders(uncertainty):
        sums = np.cumsum([loss[i] for i in order])
        rows.append(sums / np.arange(1, len(uncertainty) + 1))
    return np.mean(rows, axis=0)


def generalised_area(uncertainty, loss):
    """The area under the errors answered, over coverage, of all orders."""
    n = len(uncertainty)
    areas = []
    for order in orders(uncertainty):
        joint = [0, *np.cumsum([loss[i] for i in order]) / n]
        areas.append(sum((a + b) / 2 / n for a, b in itertools.pairwise(joint)))
    return np.mean(areas)


@st.composite
def small_samples(draw, max_size=6, losses=None):
    size = draw(st.integers(1, max_size))
    uncertainty = draw(
        st.lists(st.sampled_from([0, 1, 2.5]), min_size=size, max_size=size)
    )
    each = st.integers(0, 1) if losses is None else losses
    return uncertainty, draw(st.lists(each, min_size=size, max_size=size))


@settings(deadline=None, max_examples=40)
@given(small_samples(losses=st.sampled_from([0, 0.25, 1, 3])))
def test_areas_are_means_over_all_orders_of_ties(sample):
    uncertainty, loss = sample
    risks = mean_risks(uncertainty, loss)
    curve = risk_coverage_curve(uncertainty, loss)
    assert curve.risk.tolist() == pytest.approx(risks.tolist())
    n = len(uncertainty)
    assert curve.coverage.tolist() == pytest.approx(
        [k / n for k in range(1, n + 1)]
    )
    assert aurc(uncertainty, loss) == pytest.approx(risks.mean())
    best = min(
        np.mean(np.cumsum(order) / np.arange(1, n + 1))
        for order in itertools.permutations(loss)
    )
    assert optimal_aurc(loss) == pytest.approx(best)
    assert e_aurc(uncertainty, loss) == pytest.approx(
        risks.mean() - best, abs=1e-12
    )
    assert augrc(uncertainty, loss) == pytest.approx(
        generalised_area(uncertainty, loss)
    )


def test_areas_by_hand():
    # Risks 0, 1/2, 1/3, 1/2.
    uncertainty, loss = [1, 2, 3, 4], [0, 1, 0, 1]
    assert aurc(uncertainty, loss) == pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 4)
    # At best 0, 0, 1/3, 1/2.
    assert optimal_aurc(loss) == pytest.approx((1 / 3 + 1 / 2) / 4)
    assert e_aurc(uncertainty, loss) == pytest.approx(1 / 8)
    # Errors 0, 0, 1, 1, 2 of 4 at coverages 0 to 1.
    assert augrc(uncertainty, loss) == pytest.approx((0 + 1 + 1 + 2 / 2) / 16)


def test_areas_of_constant_and_perfect_uncertainty():
    loss = [1, 0, 0, 1, 0, 0, 0, 0]
    assert aurc([7] * 8, loss) == pytest.approx(0.25)
    assert augrc([7] * 8, loss) == pytest.approx(0.125)
    assert e_aurc(loss, loss) == 0
    assert augrc(loss, loss) == pytest.approx(0.25**2 / 2)
    worst = [-x for x in loss]
    assert aurc(worst, loss) == pytest.approx(
        (1 + 1 + sum(2 / k for k in range(3, 9))) / 8
    )


@for_each("seed", range(6))
def test_augrc_is_a_function_of_auroc_and_accuracy(seed):
    rng = np.random.default_rng(seed)
    error = (rng.random(150) < 0.35).astype(int)
    uncertainty = rng.normal(size=150) + error
    if seed > 2:
        uncertainty = uncertainty.round()
    accuracy = 1 - error.mean()
    expected = (
        (1 - roc_auc_score(error, uncertainty)) * accuracy * (1 - accuracy)
    )
    expected += (1 - accuracy) ** 2 / 2
    assert augrc(uncertainty, error) == pytest.approx(expected)


def test_only_correct_or_only_wrong_predictions():
    uncertainty = [0.3, 0.1, 0.2]
    assert aurc(uncertainty, [0] * 3) == e_aurc(uncertainty, [0] * 3) == 0
    assert aurc(uncertainty, [1] * 3) == pytest.approx(1)
    assert e_aurc(uncertainty, [1] * 3) == pytest.approx(0)
    assert augrc(uncertainty, [1] * 3) == pytest.approx(0.5)
    assert accuracy_at(uncertainty, [1] * 3, 0.5) == (2 / 3, 0, 0)
    assert accuracy_at(uncertainty, [0] * 3, 0.5) == (2 / 3, 1, 1)
    assert answer_rate_at(uncertainty, [1] * 3, 0.5) == (0, 0)
    assert answer_rate_at(uncertainty, [0] * 3, 0.0) == (1, 1)


@settings(deadline=None, max_examples=40)
@given(small_samples(), st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 0.75, 1.0]))
def test_accuracy_at_a_rate_is_the_mean_over_orders(sample, rate):
    uncertainty, error = sample
    n = len(uncertainty)
    k = next(k for k in range(1, n + 1) if k >= rate * n - 1e-12)
    got = accuracy_at(uncertainty, error, rate)
    assert got.answer_rate == pytest.approx(k / n)
    expected = 1 - mean_risks(uncertainty, error)[k - 1]
    assert got.accuracy == pytest.approx(expected)
    best = max(
        1 - sum(error[i] for i in chosen) / k
        for chosen in itertools.combinations(range(n), k)
    )
    assert got.optimum == pytest.approx(best)


@for_each("seed", range(3))
def test_accuracy_never_exceeds_the_optimum(seed):
    # Of a model that is right in 62.3%, no choice of 85% is right in more
    # than 0.623 / 0.85.
    error = np.repeat([0, 1], [623, 377])
    bound = 0.623 / 0.85
    assert bound == pytest.approx(0.733, abs=5e-4)
    uncertainty = np.random.default_rng(seed).normal(size=1000) + 2 * error
    got = accuracy_at(uncertainty, error, 0.85)
    assert got.answer_rate == 0.85
    assert got.optimum == pytest.approx(bound)
    assert 0.623 < got.accuracy <= bound + 1e-12
    perfect = accuracy_at(error, error, 0.85)
    assert perfect.accuracy == pytest.approx(bound)
    assert accuracy_at(error, error, 0.5) == (0.5, 1, 1)


@for_each("num", [10, 100, 700])
def test_rate_of_a_whole_number_of_samples_is_exact(num):
    # 0.07 * 100 is a rounding error above 7.
    for k in range(1, num + 1, max(1, num // 50)):
        assert accuracy_at(range(num), [0] * num, k / num)[0] == k / num
        assert threshold_for_rate(range(1, num + 1), k / num) == k
        if k < num:
            share = k / num + 1e-6
            assert threshold_for_rate(range(1, num + 1), share) == k + 1


RISKS = [Fraction(0), Fraction(1, 5), Fraction(1, 4), Fraction(1, 3)]
RISKS += [Fraction(1, 2), Fraction(2, 3), Fraction(9, 10)]


@settings(deadline=None, max_examples=60)
@given(small_samples(max_size=8), st.sampled_from(RISKS))
def test_answer_rate_equals_a_search(sample, risk):
    uncertainty, error = sample
    n = len(uncertainty)
    best, threshold = 0, -math.inf
    for t in sorted(set(uncertainty)):
        answered = [
            e for d, e in zip(uncertainty, error, strict=True) if d <= t
        ]
        if sum(answered) <= risk * len(answered):
            best, threshold = len(answered), t
    got = answer_rate_at(uncertainty, error, float(risk))
    assert got.value == pytest.approx(best / n)
    assert threshold_for_risk(uncertainty, error, float(risk)) == threshold
    subsets = itertools.product([False, True], repeat=n)
    fine = (
        sum(chosen)
        for chosen in subsets
        if sum(itertools.compress(error, chosen)) <= risk * sum(chosen)
    )
    assert got.optimum == pytest.approx(max(fine) / n)


def test_ties_are_answered_together():
    # Two of the three ties are right, and the uncertainty is the same.
    got = answer_rate_at([1, 2, 2, 2], [0, 0, 0, 1], 0.2)
    assert got == (0.25, 0.75)
    assert answer_rate_at([1, 2, 2, 2], [0, 0, 0, 1], 0.25) == (1, 1)


def test_risk_may_fall_again_at_a_later_threshold():
    uncertainty, error = [1, 2, 3, 4, 5], [1, 0, 0, 0, 1]
    assert threshold_for_risk(uncertainty, error, 0.25) == 4
    assert answer_rate_at(uncertainty, error, 0.25).value == 0.8


def test_thresholds_of_validation_apply_to_test():
    validation = [0.1, 0.2, 0.3, 0.4, 0.5]
    threshold = threshold_for_rate(validation, 0.6)
    assert threshold == 0.3
    # Samples equal to the threshold are answered.
    uncertainty, error = [0.05, 0.3, 0.3, 0.31, 0.9, 0.9], [0, 0, 1, 0, 0, 1]
    got = select(uncertainty, error, threshold)
    assert got.answer_rate == 0.5
    assert got.accuracy == pytest.approx(2 / 3)
    assert got.optimum == 1
    threshold = threshold_for_risk(validation, [0, 0, 1, 0, 1], 0.25)
    assert threshold == 0.4
    got = select(uncertainty, error, threshold)
    assert got.answer_rate == pytest.approx(4 / 6)
    assert got.accuracy == 0.75
    assert got.optimum == 1
    got = select(uncertainty, error, 1.0)
    assert got == pytest.approx((1, 4 / 6, 4 / 6))


def test_ties_raise_the_answer_rate():
    threshold = threshold_for_rate([1, 2, 2, 2], 0.5)
    assert threshold == 2
    assert select([1, 2, 2, 2], [0] * 4, threshold).answer_rate == 1


def test_unreachable_risk_answers_nothing():
    threshold = threshold_for_risk([0.1, 0.2, 0.3], [1, 0, 1], 0.3)
    assert threshold == -math.inf
    assert select([0.1, 0.2], [0, 1], threshold) == (0, None, 1)
    assert answer_rate_at([0.1, 0.2, 0.3], [1, 0, 1], 0.3) == (0, 1 / 3)


@for_each("seed", range(3))
def test_optimum_equals_the_best_subset(seed):
    rng = np.random.default_rng(seed)
    uncertainty, error = rng.integers(0, 4, 9), rng.integers(0, 2, 9)
    for threshold in (0, 1, 2.5):
        got = select(uncertainty, error, threshold)
        k = int((uncertainty <= threshold).sum())
        assert got.answer_rate == pytest.approx(k / 9)
        if k:
            assert got.accuracy == pytest.approx(
                1 - error[uncertainty <= threshold].mean()
            )
            best = max(
                1 - np.mean(chosen)
                for chosen in itertools.combinations(error, k)
            )
            assert got.optimum == pytest.approx(best)


def test_areas_do_not_depend_on_the_order_of_samples():
    generator = torch.Generator().manual_seed(0)
    uncertainty = torch.randint(0, 6, (50,), generator=generator)
    loss = torch.rand(50, generator=generator).double()
    order = torch.randperm(50, generator=generator)
    for area in (aurc, e_aurc, augrc):
        assert area(uncertainty[order], loss[order]) == pytest.approx(
            area(uncertainty, loss), abs=1e-12
        )


def test_risk_is_compared_exactly():
    error = torch.tensor([1] * 63 + [0] * 12)
    got = answer_rate_at(torch.zeros(75), error, 0.84)
    assert got == (1.0, 1.0)
    error = torch.tensor([1] * 53 + [0] * 147)
    assert threshold_for_risk(torch.zeros(200), error, 0.265) == 0
    # One error more than the risk allows, among many.
    wrong = int(0.999 * 17001) + 1
    error = torch.tensor([1] * wrong + [0] * (17001 - wrong))
    got = answer_rate_at(torch.zeros(17001), error, 0.999)
    assert got.value == 0


def test_nan_threshold_raises():
    with pytest.raises(ValueError, match="'threshold' must be a number"):
        select([0.1], [0], float("nan"))
