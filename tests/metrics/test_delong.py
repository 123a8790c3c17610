"""DeLong's test against all pairs of samples, and against simulation."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.metrics import roc_auc_score

from pyg_cagp.metrics import delong_interval, delong_test
from tests.loops import for_each


def kernel(a, b):
    return 1.0 if a > b else 0.5 if a == b else 0.0


def covariance(scores, label):
    """The covariance of areas, by its definition: O(nm) for each score."""
    ones, zeros = np.flatnonzero(label == 1), np.flatnonzero(label == 0)
    v10, v01 = [], []
    for score in scores:
        pairs = np.array(
            [[kernel(score[i], score[j]) for j in zeros] for i in ones]
        )
        v10.append(pairs.mean(axis=1))
        v01.append(pairs.mean(axis=0))
    return np.cov(v10) / len(ones) + np.cov(v01) / len(zeros)


def tied_sample(seed, ones=11, zeros=17):
    rng = np.random.default_rng(seed)
    label = rng.permutation(np.repeat([1, 0], [ones, zeros]))
    first = rng.integers(0, 5, ones + zeros) + label
    second = rng.integers(0, 4, ones + zeros) + 2 * label
    if seed % 2:
        first = first + rng.normal(size=first.size)
    return first, second, label


@for_each("seed", range(6))
def test_delong_equals_all_pairs(seed):
    first, second, label = tied_sample(seed)
    got = delong_test(first, second, label)
    cov = covariance([first, second], label)
    variance = cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]
    assert got.first == pytest.approx(roc_auc_score(label, first))
    assert got.second == pytest.approx(roc_auc_score(label, second))
    assert got.difference == pytest.approx(got.first - got.second)
    assert got.variance == pytest.approx(variance)
    z = got.difference / math.sqrt(variance)
    assert got.z == pytest.approx(z)
    assert got.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))
    other = delong_test(second, first, label)
    assert other.z == pytest.approx(-got.z)
    assert other.p_value == pytest.approx(got.p_value)


@for_each("level", [0.95, 0.8])
@for_each("seed", range(4))
def test_interval_equals_all_pairs_on_the_logit_scale(seed, level):
    first, second, label = tied_sample(seed)
    spread = math.sqrt(covariance([first, second], label)[0, 0])
    area = roc_auc_score(label, first)
    width = stats.norm.ppf((1 + level) / 2) * spread / (area * (1 - area))
    middle = math.log(area / (1 - area))
    ends = [1 / (1 + math.exp(-(middle + s * width))) for s in (-1, 1)]
    got = delong_interval(first, label, level=level)
    assert got == pytest.approx((area, *ends))
    assert 0 < got.low < got.estimate < got.high < 1


@for_each("name", ["perfect", "same", "monotone", "tied"])
def test_p_value_without_variance_is_none(name):
    label = np.repeat([0, 1], [6, 5])
    scores = {
        "perfect": (np.arange(11), np.arange(11.0) ** 3 + 5),
        "same": (tied_sample(0, 5, 6)[0],) * 2,
        "monotone": (np.sin(np.arange(11)), np.exp(np.sin(np.arange(11)))),
        "tied": (np.zeros(11), np.full(11, 3.5)),
    }[name]
    got = delong_test(*scores, label)
    assert got.first == pytest.approx(roc_auc_score(label, scores[0]))
    assert got[2:] == (0, 0, None, None)


def test_rounding_of_constant_thirds_gives_no_variance():
    # Each positive beats the same two of three negatives: 2/3, inexactly.
    label = [0, 0, 0, 1, 1, 1, 1, 1, 1, 1]
    third = [0, 1, 9, 5, 5, 5, 5, 5, 5, 5]
    perfect = list(range(10))
    got = delong_test(third, perfect, label)
    assert got.variance == pytest.approx(
        np.var([1, 1, 0], ddof=1) / 3, rel=1e-9
    )
    assert delong_test(third, third, label).p_value is None


def test_no_p_value_is_zero():
    rng = np.random.default_rng(0)
    label = np.repeat([0, 1], 20_000)
    got = delong_test(label + rng.random(40_000), rng.random(40_000), label)
    assert abs(got.z) > 40
    assert 0 < got.p_value < 1e-300


def test_p_values_are_uniform_under_the_null():
    rng = np.random.default_rng(0)
    label = np.repeat([0, 1], [70, 50])
    p_values = []
    for _ in range(400):
        common = rng.normal(size=120) + label
        first, second = common + rng.normal(size=(2, 120))
        p_values.append(delong_test(first, second, label).p_value)
    assert stats.kstest(p_values, "uniform").pvalue > 0.001
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.09


def test_variance_equals_repeated_experiments():
    rng = np.random.default_rng(0)
    label = np.repeat([0, 1], [50, 30])
    differences, variances = [], []
    for _ in range(500):
        common = rng.normal(size=80)
        noise = rng.normal(size=(2, 80))
        first, second = common + noise + np.array([[1.5], [0.5]]) * label
        got = delong_test(first, second, label)
        differences.append(got.difference)
        variances.append(got.variance)
    assert np.mean(variances) == pytest.approx(np.var(differences), rel=0.2)


@for_each("level", [0.95, 0.5])
def test_intervals_have_their_coverage(level):
    # Two normal distributions, one apart: the area is Phi(1 / sqrt(2)).
    truth = stats.norm.cdf(1 / math.sqrt(2))
    rng = np.random.default_rng(0)
    label = np.repeat([0, 1], [80, 60])
    covered = []
    for _ in range(400):
        got = delong_interval(rng.normal(size=140) + label, label, level=level)
        covered.append(got.low <= truth <= got.high)
    noise = 3.5 * math.sqrt(level * (1 - level) / 400)
    assert np.mean(covered) == pytest.approx(level, abs=noise)


def test_interval_of_a_perfect_area_is_one_point():
    label = [0, 0, 1, 1]
    assert delong_interval([1, 2, 3, 4], label) == (1, 1, 1)
    assert delong_interval([4, 3, 2, 1], label) == (0, 0, 0)
    assert delong_interval([5] * 4, label) == pytest.approx((0.5,) * 3)


@for_each(("ones", "zeros"), [(1, 5), (5, 1), (1, 1)])
def test_fewer_than_two_of_a_class_raise(ones, zeros):
    label = [1] * ones + [0] * zeros
    score = list(range(ones + zeros))
    with pytest.raises(
        ValueError, match=f"'label'.*{ones} ones and {zeros} zeros"
    ):
        delong_test(score, score[::-1], label)
    # Two are enough.
    assert delong_test([1, 3, 2, 4], [1, 2, 3, 4], [0, 0, 1, 1]).p_value < 1


def test_bad_arguments_are_named():
    label = [0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"'first'.*nan at position 2"):
        delong_test([1, 2, math.nan, 4], [1, 2, 3, 4], label)
    with pytest.raises(ValueError, match=r"'second'.*nan at position 1"):
        delong_test([1, 2, 3, 4], [1, math.nan, 3, 4], label)
    with pytest.raises(ValueError, match=r"'first' and 'label'.*3 and 4"):
        delong_test([1, 2, 3], [1, 2, 3, 4], label)
    with pytest.raises(ValueError, match=r"'second' and 'label'.*5 and 4"):
        delong_test([1, 2, 3, 4], [1, 2, 3, 4, 5], label)
    with pytest.raises(ValueError, match=r"'label'.*no 1 among 4"):
        delong_test([1, 2, 3, 4], [1, 2, 3, 4], [0] * 4)


def test_forms_of_scores_give_the_same_result():
    first, second, label = tied_sample(0)
    expected = delong_test(first, second, label)
    for form in (
        lambda x: torch.from_numpy(x).float(),
        lambda x: torch.from_numpy(x).double(),
        lambda x: x.tolist(),
        lambda x: x[::-1].copy()[::-1],
    ):
        assert delong_test(*map(form, (first, second, label))) == expected
    infinite = np.where(first == first.max(), np.inf, first)
    assert delong_test(infinite, second, label) == expected


def test_all_binary_scores_equal_all_pairs():
    label = np.array([0, 0, 1, 1, 1])
    second = np.array([2, 0, 1, 2, 3])
    for first in itertools.product([0, 1], repeat=5):
        first = np.array(first)
        cov = covariance([first, second], label)
        variance = cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]
        got = delong_test(first, second, label)
        assert got.variance == pytest.approx(variance, abs=1e-12)
