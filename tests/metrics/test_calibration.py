"""Calibration against loops, closed forms and simulation."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sk

from pyg_cagp.metrics import (
    brier_parts,
    brier_score,
    calibration_bins,
    expected_calibration_error,
    log_loss,
    maximum_calibration_error,
)
from tests.loops import for_each


def width_groups(p, num_bins):
    """For each sample, the k with (k - 1) / B < p <= k / B; 1 for p = 0."""
    return [
        next(k for k in range(1, num_bins + 1) if x <= k / num_bins) for x in p
    ]


def mass_groups(p, num_bins):
    """Of the i-th of n samples, i * B / n; ties go with their first."""
    places = sorted(p)
    return [places.index(x) * num_bins // len(p) for x in p]


def gather(p, y, groups):
    """Size, mean probability and share of ones of each group."""
    rows = []
    for group in sorted(set(groups)):
        inside = [i for i, g in enumerate(groups) if g == group]
        rows.append(
            (
                len(inside),
                sum(p[i] for i in inside) / len(inside),
                sum(y[i] for i in inside) / len(inside),
            )
        )
    return rows


GROUPS = {"width": width_groups, "mass": mass_groups}


@st.composite
def probabilities(draw):
    # Hundredths make ties, and land on the edges of bins.
    p = draw(st.lists(st.integers(0, 100), min_size=1, max_size=50))
    y = draw(
        st.lists(st.integers(0, 1), min_size=len(p), max_size=len(p)),
    )
    return [x / 100 for x in p], y


@settings(deadline=None, max_examples=80)
@given(probabilities(), st.integers(1, 20), st.sampled_from(["width", "mass"]))
def test_bins_and_errors_equal_a_loop(sample, num_bins, binning):
    p, y = sample
    rows = gather(p, y, GROUPS[binning](p, num_bins))
    bins = calibration_bins(p, y, num_bins=num_bins, binning=binning)
    assert bins.size.tolist() == [size for size, _, _ in rows]
    assert bins.confidence.tolist() == pytest.approx([c for _, c, _ in rows])
    assert bins.frequency.tolist() == pytest.approx([f for _, _, f in rows])
    assert bins.gap.tolist() == pytest.approx([f - c for _, c, f in rows])
    assert bins.share.tolist() == pytest.approx(
        [s / len(p) for s, _, _ in rows]
    )
    l1 = sum(size * abs(f - c) for size, c, f in rows) / len(p)
    l2 = math.sqrt(sum(size * (f - c) ** 2 for size, c, f in rows) / len(p))
    largest = max(abs(f - c) for _, c, f in rows)
    cut = {"num_bins": num_bins, "binning": binning}
    assert expected_calibration_error(p, y, **cut) == pytest.approx(l1)
    error = expected_calibration_error(p, y, norm="l2", **cut)
    assert error == pytest.approx(l2)
    assert maximum_calibration_error(p, y, **cut) == pytest.approx(largest)


@for_each("seed", range(3))
def test_errors_of_many_samples_equal_a_loop(seed):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.7, 1.3, 300)
    y = (rng.random(300) < p**2).astype(int)
    for binning, groups in GROUPS.items():
        rows = gather(p, y, groups(p.tolist(), 15))
        l1 = sum(size * abs(f - c) for size, c, f in rows) / 300
        got = expected_calibration_error(p, y, binning=binning)
        assert got == pytest.approx(l1)


@for_each("num", [15, 16, 31, 100])
def test_bins_of_equal_mass_differ_by_one_at_most(num):
    p = torch.rand(num, generator=torch.Generator().manual_seed(0)).double()
    size = calibration_bins(
        p, torch.zeros(num), num_bins=15, binning="mass"
    ).size
    assert size.numel() == 15
    assert size.max() - size.min() <= 1
    assert size.sum() == num


@for_each("binning", ["width", "mass"])
@for_each("num_bins", [1, 2, 15])
def test_probabilities_of_0_and_1_are_binned(binning, num_bins):
    p, y = [0.0, 0.0, 1.0, 1.0], [1, 1, 0, 0]
    bins = calibration_bins(p, y, num_bins=num_bins, binning=binning)
    assert int(bins.size.sum()) == 4
    error = expected_calibration_error(p, y, num_bins=num_bins, binning=binning)
    assert error == (0 if num_bins == 1 else 1)


def test_bins_of_equal_width_contain_their_upper_edge():
    # 0.3 is in (0.2, 0.3], in double precision, too.
    bins = calibration_bins([0.25, 0.3, 0.31], [1, 1, 0], num_bins=10)
    assert bins.size.tolist() == [2, 1]
    assert bins.confidence.tolist() == pytest.approx([0.275, 0.31])


@for_each("num_bins", range(1, 31))
def test_upper_edges_fall_into_different_bins(num_bins):
    p = [k / num_bins for k in range(num_bins + 1)]
    bins = calibration_bins(p, [0] * len(p), num_bins=num_bins)
    assert bins.size.tolist() == [2] + [1] * (num_bins - 1)


def test_ties_share_a_bin():
    p = [0.1] * 7 + [0.2] * 2 + [0.9]
    bins = calibration_bins(p, [0] * 10, num_bins=5, binning="mass")
    assert bins.size.tolist() == [7, 2, 1]


def test_empty_bins_are_left_out():
    bins = calibration_bins(
        [0.1, 0.5, 0.7], [0, 1, 1], num_bins=50, binning="mass"
    )
    assert bins.size.tolist() == [1, 1, 1]


def test_perfectly_calibrated_groups_have_no_error():
    p = [0.25] * 4 + [0.5] * 2 + [1.0] * 3
    y = [1, 0, 0, 0] + [1, 0] + [1] * 3
    assert expected_calibration_error(p, y) == 0
    assert expected_calibration_error(p, y, norm="l2") == 0
    assert maximum_calibration_error(p, y) == 0
    assert brier_parts(p, y).reliability == 0


@for_each(("norm", "share"), [("l1", 0.8), ("l2", 0.6)])
@for_each("binning", ["width", "mass"])
def test_debiased_error_of_calibrated_data_is_smaller(norm, share, binning):
    rng = np.random.default_rng(0)
    plain, debiased = [], []
    for _ in range(200):
        p = rng.random(300)
        y = rng.random(300) < p
        options = {"binning": binning, "norm": norm}
        plain.append(expected_calibration_error(p, y, **options))
        debiased.append(
            expected_calibration_error(p, y, **options, debiased=True)
        )
    # The truth is zero.
    assert min(debiased) >= 0
    assert np.mean(debiased) < share * np.mean(plain)


def test_debiased_square_is_unbiased():
    # Three groups with gaps so large that nothing is cut off at zero.
    predicted, true = np.array([0.1, 0.5, 0.7]), np.array([0.5, 0.9, 0.3])
    size = np.array([4, 3, 5])
    share = size / size.sum()
    truth = float(share @ (predicted - true) ** 2)
    bias = float(share @ (true * (1 - true) / size))
    rng = np.random.default_rng(0)
    p = np.repeat(predicted, size)
    squares = {False: [], True: []}
    for _ in range(1500):
        y = rng.random(12) < np.repeat(true, size)
        for debiased, errors in squares.items():
            error = expected_calibration_error(
                p, y, num_bins=10, norm="l2", debiased=debiased
            )
            errors.append(error**2)
    noise = np.std(squares[True]) / math.sqrt(1500)
    # Large enough to separate a division by n - 1 from one by n.
    assert bias / 4 > 4 * noise
    assert np.mean(squares[False]) == pytest.approx(truth + bias, abs=4 * noise)
    assert np.mean(squares[True]) == pytest.approx(truth, abs=4 * noise)


def test_debiased_square_by_hand():
    # A gap of 0.5 and a variance of 3/4 * 1/4 over 4 - 1.
    got = expected_calibration_error(
        [0.25] * 4, [1, 1, 1, 0], norm="l2", debiased=True
    )
    assert got == pytest.approx(math.sqrt(0.25 - 0.1875 / 3))
    # A negative square is cut off at zero.
    assert (
        expected_calibration_error([0.5] * 2, [1, 0], norm="l2", debiased=True)
        == 0
    )


FOLDED = [
    # Probability, labels.
    (0.25, [1, 1, 1, 0]),
    (0.45, [1, 0, 0, 0, 1]),
    (0.75, [1, 0, 1]),
]


def gap_and_spread(p, y):
    f = np.mean(y)
    return abs(f - p), math.sqrt(f * (1 - f) / len(y))


@for_each(("p", "y"), FOLDED)
def test_debiased_gap_equals_a_folded_normal(p, y):
    gap, spread = gap_and_spread(p, y)
    got = expected_calibration_error([p] * len(y), y, debiased=True)
    folded = stats.foldnorm.mean(gap / spread, scale=spread)
    assert got == pytest.approx(max(0, 2 * gap - folded), abs=1e-12)
    drawn = np.random.default_rng(0).normal(gap, spread, 400_000)
    assert folded == pytest.approx(np.abs(drawn).mean(), abs=2e-3)


def test_debiased_gaps_are_weighted_by_size():
    p = [p for p, y in FOLDED for _ in y]
    y = [bit for _, y in FOLDED for bit in y]
    expected = 0.0
    for predicted, labels in FOLDED:
        gap, spread = gap_and_spread(predicted, labels)
        folded = stats.foldnorm.mean(gap / spread, scale=spread)
        expected += len(labels) / len(y) * (2 * gap - folded)
    got = expected_calibration_error(p, y, debiased=True)
    assert got == pytest.approx(expected, abs=1e-12)


def test_bins_without_variance_have_no_bias():
    p, y = [0.1, 0.1, 0.8], [0, 0, 1]
    for norm in ("l1", "l2"):
        assert expected_calibration_error(
            p, y, norm=norm, debiased=True
        ) == pytest.approx(expected_calibration_error(p, y, norm=norm))


@settings(deadline=None, max_examples=60)
@given(probabilities())
def test_brier_score_and_parts_equal_loops(sample):
    p, y = sample
    n = len(p)
    score = sum((a - b) ** 2 for a, b in zip(p, y, strict=True)) / n
    assert brier_score(p, y) == pytest.approx(score)
    base = sum(y) / n
    rows = gather(p, y, p)
    parts = brier_parts(p, y)
    assert parts.reliability == pytest.approx(
        sum(size * (c - f) ** 2 for size, c, f in rows) / n
    )
    assert parts.resolution == pytest.approx(
        sum(size * (f - base) ** 2 for size, c, f in rows) / n
    )
    assert parts.uncertainty == pytest.approx(base * (1 - base))
    assert (
        parts.reliability - parts.resolution + parts.uncertainty
        == pytest.approx(score, abs=1e-12)
    )


@for_each("binning", ["width", "mass"])
@for_each("num_bins", [1, 3, 10])
def test_brier_parts_of_bins_equal_five_components(num_bins, binning):
    rng = np.random.default_rng(0)
    p = rng.random(120).round(2)
    y = (rng.random(120) < 0.2 + 0.5 * p).astype(int)
    groups = GROUPS[binning](p.tolist(), num_bins)
    reliability = resolution = 0.0
    for group in set(groups):
        inside = np.array(groups) == group
        predicted, true = p[inside].mean(), y[inside].mean()
        share = inside.mean()
        reliability += share * (predicted - true) ** 2
        resolution += share * (true - y.mean()) ** 2
        # Within a bin: minus the variance of the probabilities, plus twice
        # their covariance with the labels.
        resolution -= share * ((p[inside] - predicted) ** 2).mean()
        resolution += (
            2 * share * ((p[inside] - predicted) * (y[inside] - true)).mean()
        )
    got = brier_parts(p, y, num_bins=num_bins, binning=binning)
    assert got.reliability == pytest.approx(reliability)
    assert got.resolution == pytest.approx(resolution)
    assert got.uncertainty == pytest.approx(y.mean() * (1 - y.mean()))
    assert got.reliability - got.resolution + got.uncertainty == pytest.approx(
        brier_score(p, y), abs=1e-12
    )


def test_brier_parts_bin_by_mass_by_default():
    p, y = [0.1, 0.2, 0.3, 0.9], [0, 1, 0, 1]
    assert brier_parts(p, y, num_bins=2) == brier_parts(
        p, y, num_bins=2, binning="mass"
    )
    assert brier_parts(p, y, num_bins=2) != brier_parts(
        p, y, num_bins=2, binning="width"
    )


@for_each("seed", range(4))
def test_log_loss_and_brier_score_equal_sklearn(seed):
    rng = np.random.default_rng(seed)
    y = (rng.random(90) < 0.4).astype(int)
    p = rng.random(90)
    if seed > 1:
        # Some probabilities are 0 or 1, and some of these are wrong.
        p[:8] = [0, 1] * 4
    assert log_loss(p, y) == pytest.approx(sk.log_loss(y, p))
    assert brier_score(p, y) == pytest.approx(sk.brier_score_loss(y, p))


def test_log_loss_is_clipped_at_machine_epsilon():
    assert log_loss([0.0], [1]) == pytest.approx(-math.log(2.0**-52))
    assert log_loss([1.0], [0]) == pytest.approx(-math.log(2.0**-52))
    assert log_loss([1.0, 0.0], [1, 0]) == pytest.approx(0, abs=1e-15)
    assert log_loss(torch.tensor([0.0]), [1]) == log_loss([0.0], [1])


def test_small_probabilities_keep_their_precision():
    assert log_loss([1e-12], [0]) == pytest.approx(1e-12, rel=1e-6, abs=0)
    assert log_loss([1e-12], [1]) == pytest.approx(-math.log(1e-12))
