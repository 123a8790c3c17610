"""Detection against scikit-learn, and against trying every threshold."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from pyg_cagp.metrics import (
    aupr,
    auroc,
    best_threshold,
    confusion,
    detection_accuracy,
    fpr_at_tpr,
    roc_curve,
    sweep,
)
from tests.loops import for_each


@st.composite
def tied_samples(draw):
    """Scores of at most three values, and labels of both classes."""
    size = draw(st.integers(2, 40))
    label = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    label[0], label[-1] = 0, 1
    three = st.sampled_from([-1.5, 0.0, 2.25])
    score = draw(st.lists(three, min_size=size, max_size=size))
    return np.array(score), np.array(label)


def continuous(seed, size=60):
    rng = np.random.default_rng(seed)
    label = (rng.random(size) < 0.3).astype(int)
    return rng.normal(size=size) + label, label


SAMPLES = [continuous(seed) for seed in range(4)]
for seed in range(4):
    score, label = continuous(10 + seed, size=31)
    SAMPLES.append((np.round(score), label))
samples = for_each(("score", "label"), SAMPLES)


def check_against_sklearn(score, label):
    assert auroc(score, label) == pytest.approx(sk.roc_auc_score(label, score))
    assert aupr(score, label) == pytest.approx(
        sk.average_precision_score(label, score)
    )
    assert aupr(score, label, positive="id") == pytest.approx(
        sk.average_precision_score(1 - label, -score)
    )
    fpr, tpr, _ = sk.roc_curve(label, score, drop_intermediate=False)
    got = roc_curve(score, label)
    assert got[0].tolist() == pytest.approx(fpr.tolist())
    assert got[1].tolist() == pytest.approx(tpr.tolist())


def every_threshold(score):
    """All thresholds with different flags, and one that flags no sample."""
    return [*sorted(set(score.tolist()), reverse=True), math.inf]


def rates(score, label, threshold):
    flagged = score >= threshold
    return flagged[label == 1].mean(), flagged[label == 0].mean()


def check_against_every_threshold(score, label):
    tried = [rates(score, label, t) for t in every_threshold(score)]
    assert detection_accuracy(score, label) == pytest.approx(
        max((tpr + 1 - fpr) / 2 for tpr, fpr in tried)
    )
    for least in (0.05, 0.5, 0.8, 0.95, 1.0):
        assert fpr_at_tpr(score, label, tpr=least) == pytest.approx(
            min(fpr for tpr, fpr in tried if tpr >= least - 1e-12)
        )


def check_best_threshold(score, label):
    def balanced(threshold):
        return sk.balanced_accuracy_score(label, score >= threshold)

    def f1(threshold):
        return sk.f1_score(label, score >= threshold, zero_division=0)

    for by, worth in (("f1", f1), ("accuracy", balanced)):
        chosen = best_threshold(score, label, by=by)
        tried = {t: worth(t) for t in every_threshold(score) if t < math.inf}
        best = max(tried.values())
        assert worth(chosen) == pytest.approx(best)
        lowest = score[score >= chosen].min()
        if by == "f1":
            # Of equally good ones, the highest is taken.
            assert lowest == max(t for t, w in tried.items() if w == best)
        below = score[score < lowest]
        if below.size:
            assert below.max() < chosen < lowest
            assert chosen == pytest.approx((below.max() + lowest) / 2)
        else:
            assert chosen == lowest


@samples
def test_areas_equal_sklearn(score, label):
    check_against_sklearn(score, label)


@settings(deadline=None, max_examples=60)
@given(tied_samples())
def test_areas_with_many_ties_equal_sklearn(sample):
    check_against_sklearn(*sample)


@samples
def test_operating_points_equal_a_search(score, label):
    check_against_every_threshold(score, label)


@settings(deadline=None, max_examples=40)
@given(tied_samples())
def test_operating_points_with_many_ties_equal_a_search(sample):
    check_against_every_threshold(*sample)


@samples
def test_best_threshold_equals_a_search(score, label):
    check_best_threshold(score, label)


@settings(deadline=None, max_examples=25)
@given(tied_samples())
def test_best_threshold_with_many_ties_equals_a_search(sample):
    check_best_threshold(*sample)


@for_each("seed", range(4))
def test_auroc_is_the_share_of_ordered_pairs(seed):
    rng = np.random.default_rng(seed)
    high, low = rng.integers(0, 5, 9), rng.integers(-2, 4, 7)
    won = sum((a > b) + (a == b) / 2 for a in high for b in low) / 63
    label = np.repeat([1, 0], [9, 7])
    assert auroc(np.concatenate([high, low]), label) == pytest.approx(won)


def test_sweep_has_one_row_for_each_score():
    got = sweep([3, 1, 2, 3, 1, 1], [1, 0, 1, 0, 0, 1])
    assert got.threshold.tolist() == [3, 2, 1]
    assert got.true_positives.tolist() == [1, 2, 3]
    assert got.false_positives.tolist() == [1, 1, 3]


@samples
def test_confusion_equals_sklearn(score, label):
    for threshold in (*every_threshold(score)[::5], 0.3, -math.inf):
        got = confusion(score, label, threshold)
        tn, fp, fn, tp = sk.confusion_matrix(
            label, score >= threshold, labels=[0, 1]
        ).ravel()
        assert got == (tp, fp, fn, tn)
        assert got._fields == (
            "true_positives",
            "false_positives",
            "false_negatives",
            "true_negatives",
        )
        flagged = score >= threshold
        assert got.accuracy == pytest.approx(sk.accuracy_score(label, flagged))
        f1 = sk.f1_score(label, flagged, zero_division=0)
        assert got.f1 == pytest.approx(f1)


def test_scores_equal_to_the_threshold_are_flagged():
    assert confusion([0.5, 0.5, 0.4], [1, 0, 1], 0.5) == (1, 1, 1, 0)


def test_confusion_of_one_class():
    assert confusion([1.0, 3.0], [0, 0], 2).f1 == 0
    assert confusion([1.0, 1.5], [0, 0], 2) == (0, 0, 0, 2)
    assert confusion([1.0, 3.0], [1, 1], 2).f1 == pytest.approx(2 / 3)


@for_each("value", [0.0, -4.5, math.inf, -math.inf])
def test_constant_scores_are_chance(value):
    score, label = [value] * 10, [1] * 3 + [0] * 7
    assert auroc(score, label) == 0.5
    assert aupr(score, label) == pytest.approx(0.3)
    assert aupr(score, label, positive="id") == pytest.approx(0.7)
    assert fpr_at_tpr(score, label) == 1
    assert detection_accuracy(score, label) == 0.5
    assert best_threshold(score, label) == value
    assert best_threshold(score, label, by="accuracy") == value
    assert roc_curve(score, label)[0].tolist() == [0, 1]


@for_each("sign", [1, -1])
def test_separated_scores_are_perfect_or_worst(sign):
    score = sign * torch.arange(10.0)
    label = [0] * 7 + [1] * 3
    good = sign == 1
    assert auroc(score, label) == good
    assert fpr_at_tpr(score, label) == (not good)
    assert detection_accuracy(score, label) == (1 if good else 0.5)
    if good:
        assert aupr(score, label) == pytest.approx(1)
        assert aupr(score, label, positive="id") == pytest.approx(1)
        assert best_threshold(score, label) == 6.5
        assert best_threshold(score, label, by="accuracy") == 6.5
        assert confusion(score, label, 6.5).f1 == 1
    else:
        # The k-th of 3 has rank 7 + k.
        assert aupr(score, label) == pytest.approx(
            sum(k / (7 + k) for k in (1, 2, 3)) / 3
        )
        assert best_threshold(score, label) == -9


def test_two_samples_are_enough():
    assert auroc([0.2, 0.1], [1, 0]) == 1
    assert auroc([0.1, 0.2], [1, 0]) == 0
    assert aupr([0.1, 0.2], [1, 0]) == 0.5
    assert best_threshold([1.0, 0.0], [1, 0]) == 0.5


@for_each("positives", [7, 20, 60, 100, 300])
def test_tpr_of_a_whole_number_of_samples_is_exact(positives):
    # 0.95 * 20 and the like are a rounding error off 19.
    score = np.arange(positives + 1.0)[::-1]
    label = np.ones(positives + 1)
    for missed in range(1, min(positives, 30)):
        # The one negative sits right above the last so many positives.
        label[:] = 1
        label[positives - missed] = 0
        share = (positives - missed) / positives
        assert fpr_at_tpr(score, label, tpr=share) == 0
        assert fpr_at_tpr(score, label, tpr=share + 1e-6) == 1


def test_highest_of_equally_good_thresholds_is_chosen():
    # Half of all ones and no zero, or all ones and half of all zeros.
    score, label = [3, 3, 2, 2, 2, 2, 1, 1], [1, 1, 1, 1, 0, 0, 0, 0]
    assert best_threshold(score, label, by="accuracy") == 2.5
    # At 3: one of three positives, no negative. At 2: all positives, two of
    # three negatives. Both gain a third.
    score, label = [3, 2, 2, 2, 2, 1], [1, 1, 1, 0, 0, 0]
    assert best_threshold(score, label, by="accuracy") == 2.5
    # F1 is 2/3 by the first one and by all four.
    assert best_threshold([3, 2, 2, 2], [1, 0, 0, 1]) == 2.5


def test_threshold_between_adjacent_floats():
    above = math.nextafter(1.0, 2.0)
    chosen = best_threshold([1.0, above], [0, 1])
    assert chosen == above
    assert confusion([1.0, above], [0, 1], chosen) == (1, 0, 0, 1)


@for_each(
    ("low", "high"),
    [
        (-math.inf, 1.0),
        (1.0, math.inf),
        (-math.inf, math.inf),
        (1.6e308, 1.7e308),
        (-1.7e308, 1.7e308),
        (0.0, 5e-324),
    ],
)
def test_best_threshold_separates_extreme_scores(low, high):
    score, label = [low, low, high], [0, 0, 1]
    chosen = best_threshold(score, label)
    assert confusion(score, label, chosen) == (1, 0, 0, 2)


def test_auroc_of_negated_scores_is_the_complement():
    score, label = SAMPLES[5]
    assert auroc(-score, label) == pytest.approx(1 - auroc(score, label))
    assert auroc(score, 1 - label) == pytest.approx(1 - auroc(score, label))
    assert auroc(np.exp(score) * 3 - 7, label) == auroc(score, label)


def test_scores_equal_in_float32_are_ties():
    score = torch.tensor([1.0, 1.0 + 1e-9], dtype=torch.double)
    assert auroc(score, [0, 1]) == 1
    assert auroc(score.float(), [0, 1]) == 0.5


def test_auroc_of_many_samples_is_exact():
    # More pairs than single precision can count.
    size = 20_000
    label = torch.arange(size) % 2
    score = torch.arange(size).double()
    half = size // 2
    pairs = half * (half + 1) // 2
    assert auroc(score, label) == pytest.approx(pairs / half**2, abs=1e-12)
