"""Conformal thresholds against sorted lists, and their coverage."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from pyg_cagp.metrics import conformal_threshold, mondrian_thresholds
from tests.loops import for_each

ALPHAS = ["0.05", "0.1", "0.2", "0.25", "0.3", "0.4", "0.5", "0.7", "0.9"]


def by_sorting(scores, alpha):
    """The ceil((n + 1)(1 - alpha))-th of a sorted list, in fractions."""
    place = math.ceil((len(scores) + 1) * (1 - Fraction(alpha)))
    return sorted(scores)[place - 1] if place <= len(scores) else math.inf


@for_each("alpha", ALPHAS)
def test_threshold_equals_a_sorted_list(alpha):
    rng = np.random.default_rng(0)
    for n in (*range(1, 45), 99, 100, 199, 399):
        scores = rng.normal(size=n).tolist()
        got = conformal_threshold(scores, alpha=float(alpha))
        assert got == by_sorting(scores, alpha)


def test_threshold_with_ties():
    scores = [3, 1, 2, 2, 2, 1, 3, 2, 1]
    # Of ten places, the fourth and the ninth.
    assert conformal_threshold(scores, alpha=0.6) == 2
    assert conformal_threshold(scores, alpha=0.1) == 3
    assert conformal_threshold([5] * 9, alpha=0.1) == 5


@for_each("alpha", [0.01, 0.05, 0.1, 0.2])
def test_threshold_of_too_few_scores_is_infinite(alpha):
    least = round(1 / alpha) - 1
    assert conformal_threshold(range(least), alpha=alpha) == least - 1
    assert conformal_threshold(range(least - 1), alpha=alpha) == math.inf


@for_each(("n", "alpha"), [(20, 0.1), (50, 0.1), (38, 0.25)])
def test_sets_have_their_coverage(n, alpha):
    rng = np.random.default_rng(n)
    drawn = torch.from_numpy(rng.random((3000, n)))
    thresholds = [conformal_threshold(scores, alpha=alpha) for scores in drawn]
    # A fresh uniform score is at most t with probability t.
    covered = np.minimum(thresholds, 1)
    noise = 4 * covered.std() / math.sqrt(3000)
    assert covered.mean() >= 1 - alpha - noise
    assert covered.mean() <= 1 - alpha + 1 / (n + 1) + noise
    exact = math.ceil((n + 1) * (1 - Fraction(str(alpha)))) / (n + 1)
    assert noise < 1 / (n + 1) / 2
    assert covered.mean() == pytest.approx(exact, abs=noise)


def test_sets_contain_ties_with_the_threshold():
    # With few values, "at most" covers what "less" would miss.
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(1000):
        scores = rng.integers(0, 4, 31)
        hits += scores[30] <= conformal_threshold(scores[:30], alpha=0.2)
    assert hits / 1000 >= 0.8


@for_each("alpha", ["0.1", "0.2", "0.25", "0.5"])
@for_each("fallback", ["everything", "pooled"])
def test_groups_have_their_own_thresholds(alpha, fallback):
    rng = np.random.default_rng(0)
    # Groups of many sizes, 1 and 5 empty; in no order; some scores tied.
    group = rng.permutation(np.repeat([0, 2, 3, 4, 6], [40, 1, 5, 9, 23]))
    scores = rng.normal(size=group.size).round(1) + group
    got = mondrian_thresholds(
        scores,
        torch.from_numpy(group),
        7,
        alpha=float(alpha),
        fallback=fallback,
    )
    pooled = by_sorting(scores.tolist(), alpha)
    assert math.isfinite(pooled)
    assert got.dtype == torch.double
    for g in range(7):
        own = by_sorting(scores[group == g].tolist(), alpha)
        if own < math.inf:
            assert own == conformal_threshold(
                scores[group == g], alpha=float(alpha)
            )
        elif fallback == "pooled":
            own = pooled
        assert got[g] == own
    alone = [g for g in range(7) if got[g] not in (pooled, math.inf)]
    assert {0, 6} <= set(alone)
    assert not {1, 5} & set(alone)


@for_each("alpha", ["0.007", "0.05", "0.1", "0.4", "0.7"])
def test_group_quantiles_are_computed_in_double_precision(alpha):
    # In single precision, 25 * 0.6 is more than 15, and 16857 * 0.993 no more
    # than 16739.
    for n in (9, 24, 49, 199, 16_856, 20_000):
        scores = list(range(1, n + 1))
        group = torch.zeros(n, dtype=torch.long)
        got = mondrian_thresholds(scores, group, 1, alpha=float(alpha))
        assert got.tolist() == [by_sorting(scores, alpha)]


def test_groups_may_be_lists_of_integers():
    got = mondrian_thresholds([0.5, 0.25, 1.0], [1, 1, 0], 2, alpha=0.5)
    assert got.tolist() == [1, 0.5]
    with pytest.raises(ValueError, match=r"'group'.*whole.*float32"):
        mondrian_thresholds([0.5, 0.25], [0.0, 1.0], 2)


def test_group_thresholds_cover_each_group_and_a_pooled_one_does_not():
    rng = np.random.default_rng(0)
    group = torch.arange(2).repeat_interleave(30)
    own, pooled = [], []
    for _ in range(600):
        # The scores of the one group are ten times those of the other.
        scale = np.array([1.0, 10.0])
        scores = rng.random(60) * scale.repeat(30)
        threshold = mondrian_thresholds(scores, group, 2, alpha=0.2).numpy()
        own.append(np.minimum(threshold / scale, 1))
        pooled.append(
            np.minimum(conformal_threshold(scores, alpha=0.2) / scale, 1)
        )
    # Exactly 25 / 31 = 0.806 by each group's own.
    assert np.mean(own, axis=0) == pytest.approx([25 / 31] * 2, abs=0.012)
    assert np.mean(pooled, axis=0)[1] < 0.7


def test_pooled_fallback_may_be_infinite():
    group = torch.tensor([0, 0, 1])
    got = mondrian_thresholds(
        [1.0, 2.0, 3.0], group, 2, alpha=0.1, fallback="pooled"
    )
    assert got.tolist() == [math.inf, math.inf]


@for_each("bad", [-1, 3])
def test_groups_out_of_range_raise(bad):
    group = torch.tensor([0, bad, 2])
    with pytest.raises(ValueError, match=rf"'group'.*\[0, 3\).*got {bad}"):
        mondrian_thresholds([1.0, 2.0, 3.0], group, 3)
    with pytest.raises(ValueError, match=r"'nonconformity' and 'group'.*2 and"):
        mondrian_thresholds([1.0, 2.0], group, 4)


def test_alpha_close_to_1_gives_the_smallest_score():
    assert conformal_threshold([2.0, 1.0], alpha=1 - 1e-12) == 1
    got = mondrian_thresholds([1.0, 2.0, 3.0], [0, 0, 1], 2, alpha=1 - 1e-12)
    assert got.tolist() == [1, 3]
