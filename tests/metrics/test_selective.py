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


def orders(doubt):
    """All orders from the most certain to the least, however ties fall."""
    for order in itertools.permutations(range(len(doubt))):
        places = [doubt[i] for i in order]
        if places == sorted(places):
            yield order


def mean_risks(doubt, loss):
    """The mean loss of the first k, averaged over all orders."""
    rows = []
    for order in orders(doubt):
        sums = np.cumsum([loss[i] for i in order])
        rows.append(sums / np.arange(1, len(doubt) + 1))
    return np.mean(rows, axis=0)


def generalised_area(doubt, loss):
    """The area under the errors answered, over coverage, of all orders."""
    n = len(doubt)
    areas = []
    for order in orders(doubt):
        joint = [0, *np.cumsum([loss[i] for i in order]) / n]
        areas.append(sum((a + b) / 2 / n for a, b in itertools.pairwise(joint)))
    return np.mean(areas)


@st.composite
def small_samples(draw, max_size=6, losses=None):
    size = draw(st.integers(1, max_size))
    doubt = draw(
        st.lists(st.sampled_from([0, 1, 2.5]), min_size=size, max_size=size)
    )
    each = st.integers(0, 1) if losses is None else losses
    return doubt, draw(st.lists(each, min_size=size, max_size=size))


@settings(deadline=None, max_examples=40)
@given(small_samples(losses=st.sampled_from([0, 0.25, 1, 3])))
def test_areas_are_means_over_all_orders_of_ties(sample):
    doubt, loss = sample
    risks = mean_risks(doubt, loss)
    curve = risk_coverage_curve(doubt, loss)
    assert curve.risk.tolist() == pytest.approx(risks.tolist())
    n = len(doubt)
    assert curve.coverage.tolist() == pytest.approx(
        [k / n for k in range(1, n + 1)]
    )
    assert aurc(doubt, loss) == pytest.approx(risks.mean())
    best = min(
        np.mean(np.cumsum(order) / np.arange(1, n + 1))
        for order in itertools.permutations(loss)
    )
    assert optimal_aurc(loss) == pytest.approx(best)
    assert e_aurc(doubt, loss) == pytest.approx(risks.mean() - best, abs=1e-12)
    assert augrc(doubt, loss) == pytest.approx(generalised_area(doubt, loss))


def test_areas_by_hand():
    # Risks 0, 1/2, 1/3, 1/2.
    doubt, loss = [1, 2, 3, 4], [0, 1, 0, 1]
    assert aurc(doubt, loss) == pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 4)
    # At best 0, 0, 1/3, 1/2.
    assert optimal_aurc(loss) == pytest.approx((1 / 3 + 1 / 2) / 4)
    assert e_aurc(doubt, loss) == pytest.approx(1 / 8)
    # Errors 0, 0, 1, 1, 2 of 4 at coverages 0 to 1.
    assert augrc(doubt, loss) == pytest.approx((0 + 1 + 1 + 2 / 2) / 16)


def test_all_tied_is_chance_and_separated_is_best():
    loss = [1, 0, 0, 1, 0, 0, 0, 0]
    assert aurc([7] * 8, loss) == pytest.approx(0.25)
    assert augrc([7] * 8, loss) == pytest.approx(0.125)
    assert e_aurc(loss, loss) == 0
    assert augrc(loss, loss) == pytest.approx(0.25**2 / 2)
    worst = [-x for x in loss]
    assert aurc(worst, loss) == pytest.approx(
        (1 + 1 + sum(2 / k for k in range(3, 9))) / 8
    )


@pytest.mark.parametrize("seed", range(6))
def test_augrc_is_a_function_of_auroc_and_accuracy(seed):
    rng = np.random.default_rng(seed)
    error = (rng.random(150) < 0.35).astype(int)
    doubt = rng.normal(size=150) + error
    if seed > 2:
        doubt = doubt.round()
    accuracy = 1 - error.mean()
    expected = (1 - roc_auc_score(error, doubt)) * accuracy * (1 - accuracy)
    expected += (1 - accuracy) ** 2 / 2
    assert augrc(doubt, error) == pytest.approx(expected)


def test_all_right_or_all_wrong():
    doubt = [0.3, 0.1, 0.2]
    assert aurc(doubt, [0] * 3) == e_aurc(doubt, [0] * 3) == 0
    assert aurc(doubt, [1] * 3) == pytest.approx(1)
    assert e_aurc(doubt, [1] * 3) == pytest.approx(0)
    assert augrc(doubt, [1] * 3) == pytest.approx(0.5)
    assert accuracy_at(doubt, [1] * 3, 0.5) == (2 / 3, 0, 0)
    assert accuracy_at(doubt, [0] * 3, 0.5) == (2 / 3, 1, 1)
    assert answer_rate_at(doubt, [1] * 3, 0.5) == (0, 0)
    assert answer_rate_at(doubt, [0] * 3, 0.0) == (1, 1)


@settings(deadline=None, max_examples=40)
@given(small_samples(), st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 0.75, 1.0]))
def test_accuracy_at_a_rate_is_the_mean_over_orders(sample, rate):
    doubt, error = sample
    n = len(doubt)
    k = next(k for k in range(1, n + 1) if k >= rate * n - 1e-12)
    got = accuracy_at(doubt, error, rate)
    assert got.answer_rate == pytest.approx(k / n)
    expected = 1 - mean_risks(doubt, error)[k - 1]
    assert got.accuracy == pytest.approx(expected)
    best = max(
        1 - sum(error[i] for i in chosen) / k
        for chosen in itertools.combinations(range(n), k)
    )
    assert got.optimum == pytest.approx(best)


@pytest.mark.parametrize("seed", range(3))
def test_no_selector_beats_what_hindsight_allows(seed):
    # Of a model that is right in 62.3%, no choice of 85% is right in more
    # than 0.623 / 0.85.
    error = np.repeat([0, 1], [623, 377])
    bound = 0.623 / 0.85
    assert bound == pytest.approx(0.733, abs=5e-4)
    doubt = np.random.default_rng(seed).normal(size=1000) + 2 * error
    got = accuracy_at(doubt, error, 0.85)
    assert got.answer_rate == 0.85
    assert got.optimum == pytest.approx(bound)
    assert 0.623 < got.accuracy <= bound + 1e-12
    perfect = accuracy_at(error, error, 0.85)
    assert perfect.accuracy == pytest.approx(bound)
    assert accuracy_at(error, error, 0.5) == (0.5, 1, 1)


@pytest.mark.parametrize("num", [10, 100, 700])
def test_a_rate_that_is_a_whole_number_of_samples_answers_no_more(num):
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
def test_answer_rate_is_that_of_trying_all_thresholds(sample, risk):
    doubt, error = sample
    n = len(doubt)
    best, threshold = 0, -math.inf
    for t in sorted(set(doubt)):
        answered = [e for d, e in zip(doubt, error, strict=True) if d <= t]
        if sum(answered) <= risk * len(answered):
            best, threshold = len(answered), t
    got = answer_rate_at(doubt, error, float(risk))
    assert got.value == pytest.approx(best / n)
    assert threshold_for_risk(doubt, error, float(risk)) == threshold
    subsets = itertools.product([False, True], repeat=n)
    fine = (
        sum(chosen)
        for chosen in subsets
        if sum(itertools.compress(error, chosen)) <= risk * sum(chosen)
    )
    assert got.optimum == pytest.approx(max(fine) / n)


def test_ties_are_answered_together_or_not_at_all():
    # Two of the three ties are right, but nothing tells which.
    got = answer_rate_at([1, 2, 2, 2], [0, 0, 0, 1], 0.2)
    assert got == (0.25, 0.75)
    assert answer_rate_at([1, 2, 2, 2], [0, 0, 0, 1], 0.25) == (1, 1)


def test_a_later_threshold_may_keep_the_risk_again():
    doubt, error = [1, 2, 3, 4, 5], [1, 0, 0, 0, 1]
    assert threshold_for_risk(doubt, error, 0.25) == 4
    assert answer_rate_at(doubt, error, 0.25).value == 0.8


def test_thresholds_of_one_sample_are_applied_to_another():
    validation = [0.1, 0.2, 0.3, 0.4, 0.5]
    threshold = threshold_for_rate(validation, 0.6)
    assert threshold == 0.3
    # What ties with the threshold is answered.
    doubt, error = [0.05, 0.3, 0.3, 0.31, 0.9, 0.9], [0, 0, 1, 0, 0, 1]
    got = select(doubt, error, threshold)
    assert got.answer_rate == 0.5
    assert got.accuracy == pytest.approx(2 / 3)
    assert got.optimum == 1
    threshold = threshold_for_risk(validation, [0, 0, 1, 0, 1], 0.25)
    assert threshold == 0.4
    got = select(doubt, error, threshold)
    assert got.answer_rate == pytest.approx(4 / 6)
    assert got.accuracy == 0.75
    assert got.optimum == 1
    got = select(doubt, error, 1.0)
    assert got == pytest.approx((1, 4 / 6, 4 / 6))


def test_ties_make_a_rate_larger():
    threshold = threshold_for_rate([1, 2, 2, 2], 0.5)
    assert threshold == 2
    assert select([1, 2, 2, 2], [0] * 4, threshold).answer_rate == 1


def test_a_risk_that_cannot_be_kept_answers_nothing():
    threshold = threshold_for_risk([0.1, 0.2, 0.3], [1, 0, 1], 0.3)
    assert threshold == -math.inf
    assert select([0.1, 0.2], [0, 1], threshold) == (0, None, 1)
    assert answer_rate_at([0.1, 0.2, 0.3], [1, 0, 1], 0.3) == (0, 1 / 3)


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_of_select_is_that_of_the_best_subset(seed):
    rng = np.random.default_rng(seed)
    doubt, error = rng.integers(0, 4, 9), rng.integers(0, 2, 9)
    for threshold in (0, 1, 2.5):
        got = select(doubt, error, threshold)
        k = int((doubt <= threshold).sum())
        assert got.answer_rate == pytest.approx(k / 9)
        if k:
            assert got.accuracy == pytest.approx(
                1 - error[doubt <= threshold].mean()
            )
            best = max(
                1 - np.mean(chosen)
                for chosen in itertools.combinations(error, k)
            )
            assert got.optimum == pytest.approx(best)


def test_order_of_samples_does_not_matter():
    generator = torch.Generator().manual_seed(0)
    doubt = torch.randint(0, 6, (50,), generator=generator)
    loss = torch.rand(50, generator=generator).double()
    order = torch.randperm(50, generator=generator)
    for area in (aurc, e_aurc, augrc):
        assert area(doubt[order], loss[order]) == pytest.approx(
            area(doubt, loss), abs=1e-12
        )


def test_a_risk_that_is_kept_exactly_is_kept():
    error = torch.tensor([1] * 63 + [0] * 12)
    got = answer_rate_at(torch.zeros(75), error, 0.84)
    assert got == (1.0, 1.0)
    error = torch.tensor([1] * 53 + [0] * 147)
    assert threshold_for_risk(torch.zeros(200), error, 0.265) == 0
    # One error more than can be afforded, among many.
    wrong = int(0.999 * 17001) + 1
    error = torch.tensor([1] * wrong + [0] * (17001 - wrong))
    got = answer_rate_at(torch.zeros(17001), error, 0.999)
    assert got.value == 0


def test_no_threshold_is_an_error():
    with pytest.raises(ValueError, match="'threshold' must be a number"):
        select([0.1], [0], float("nan"))
