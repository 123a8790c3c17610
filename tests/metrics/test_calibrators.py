"""Calibrators against scikit-learn, closed forms and known functions."""

import json
import math

import numpy as np
import pytest
import scipy.optimize
import torch
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info, threadpool_limits

from pyg_cagp.exceptions import NotFittedError
from pyg_cagp.metrics import (
    BetaCalibrator,
    IsotonicCalibrator,
    PlattCalibrator,
    log_loss,
    monotone_logistic,
)
from tests.loops import for_each

ALL = [PlattCalibrator, BetaCalibrator, IsotonicCalibrator]
each_calibrator = for_each("calibrator", ALL)


def samples(seed, size=80):
    rng = np.random.default_rng(seed)
    score = rng.random(size).round(2)
    label = (rng.random(size) < 0.1 + 0.7 * score).astype(int)
    return score, label


def smoothed(label):
    """The smoothed labels of Platt (1999)."""
    ones, zeros = label.sum(), (1 - label).sum()
    return np.where(label == 1, (ones + 1) / (ones + 2), 1 / (zeros + 2))


def by_sklearn(features, label, ridge=0):
    """Each sample twice, as a one and as a zero, by its smoothed label."""
    target = smoothed(label)
    strength = 1 / (ridge * len(label)) if ridge else np.inf
    model = LogisticRegression(C=strength, tol=1e-12, max_iter=10_000)
    model.fit(
        np.concatenate([features, features]),
        np.repeat([1, 0], len(label)),
        sample_weight=np.concatenate([target, 1 - target]),
    )
    return model


@for_each("seed", range(4))
@for_each(("scale", "shift"), [(1, 0), (2000, -5), (1e-4, 3)])
def test_platt_is_logistic_regression_of_smoothed_labels(seed, scale, shift):
    score, label = samples(seed)
    given = score * scale + shift
    platt = PlattCalibrator().fit(given, label)
    model = by_sklearn(score[:, None], label)
    assert model.coef_[0, 0] > 0
    expected = model.predict_proba(score[:, None])[:, 1]
    assert platt(given).tolist() == pytest.approx(expected.tolist(), abs=1e-5)
    assert platt.state_["slope"] * scale == pytest.approx(
        model.coef_[0, 0], rel=1e-4
    )


@for_each("seed", range(4))
def test_platt_gradient_is_zero(seed):
    score, label = samples(seed)
    rest = PlattCalibrator().fit(score, label)(score).numpy() - smoothed(label)
    assert rest.mean() == pytest.approx(0, abs=1e-6)
    assert (rest * score).mean() == pytest.approx(0, abs=1e-6)


def three_features(seed):
    """Two features that rise with the label, and one that falls."""
    rng = np.random.default_rng(seed)
    label = (rng.random(150) < 0.4).astype(int)
    x = rng.normal(size=(150, 3)) + np.outer(label, [1.0, 0.7, -0.8])
    return x * [1, 20, 0.1] + [0, 5, -3], label


@for_each("ridge", [0.0, 0.1, 2.0])
def test_penalty_equals_sklearn_on_standardised_features(ridge):
    x, label = three_features(0)
    x = x[:, :2]
    spread = x.std(axis=0)
    standardised = (x - x.mean(axis=0)) / spread
    model = by_sklearn(standardised, label, ridge)
    assert model.coef_.min() > 0
    slopes, intercept = monotone_logistic(
        torch.from_numpy(x), torch.from_numpy(label), ridge=ridge
    )
    assert (slopes.numpy() * spread).tolist() == pytest.approx(
        model.coef_[0].tolist(), abs=1e-4
    )
    assert (x @ slopes.numpy() + intercept).tolist() == pytest.approx(
        model.decision_function(standardised).tolist(), abs=1e-3
    )


@for_each("ridge", [0.0, 0.3])
@for_each("seed", range(3))
def test_slopes_are_a_constrained_optimum(ridge, seed):
    x, label = three_features(seed)
    slopes, intercept = monotone_logistic(
        torch.from_numpy(x), torch.from_numpy(label), ridge=ridge
    )
    assert slopes[2] == 0
    assert slopes[:2].min() > 0
    rest = expit(x @ slopes.numpy() + intercept) - smoothed(label)
    spread = x.std(axis=0)
    climb = (rest @ (x - x.mean(axis=0))) / len(x) / spread
    climb += ridge * spread * slopes.numpy()
    assert rest.mean() == pytest.approx(0, abs=1e-5)
    assert climb[:2].tolist() == pytest.approx([0, 0], abs=1e-5)
    # The loss would fall only if the third slope did.
    assert climb[2] > 0.01


def test_platt_of_two_samples_has_a_closed_form():
    platt = PlattCalibrator().fit([0.0, 1.0], [0, 1])
    assert platt([0.0, 1.0]).tolist() == pytest.approx([1 / 3, 2 / 3])
    assert platt.state_["slope"] == pytest.approx(2 * math.log(2), rel=1e-8)
    assert platt.state_["intercept"] == pytest.approx(-math.log(2), rel=1e-5)


def test_platt_of_separable_samples_is_finite():
    label = np.repeat([0, 1], [50, 20])
    platt = PlattCalibrator().fit(label * 9.0, label)
    assert all(math.isfinite(x) for x in platt.state_.values())
    assert platt([0.0, 9.0]).tolist() == pytest.approx(
        [1 / 52, 21 / 22], abs=1e-5
    )
    score = np.linspace(0, 10, 70)
    assert PlattCalibrator().fit(score, label).state_["slope"] < 100


@for_each("calibrator", [PlattCalibrator, BetaCalibrator])
def test_slopes_of_reversed_scores_are_zero(calibrator):
    score = np.linspace(0.05, 0.95, 40)
    label = np.repeat([1, 0], [10, 30])
    fitted = calibrator().fit(score, label)
    slopes = fitted.state_.get("slopes", [fitted.state_.get("slope")])
    assert min(slopes) == max(slopes) == 0
    assert fitted([0.0, 0.5, 1.0]).tolist() == pytest.approx(
        [smoothed(label).mean()] * 3, abs=1e-6
    )


def test_constant_scores_give_the_share_of_ones():
    label = np.repeat([1, 0], [10, 30])
    for calibrator in (PlattCalibrator, BetaCalibrator):
        probability = calibrator().fit([0.3] * 40, label)([0.3, 0.9])
        assert probability.tolist() == pytest.approx(
            [smoothed(label).mean()] * 2, abs=1e-6
        )
    probability = IsotonicCalibrator().fit([0.3] * 40, label)([0.1, 0.3, 0.9])
    assert probability.tolist() == [0.25] * 3


@for_each("value", [0.1, 1 / 3, 0.7, 1e9 / 7])
def test_rounding_of_constant_scores_gives_no_slope(value):
    for ones, zeros in ((1, 2), (3, 7), (20, 29), (300, 700)):
        label = np.repeat([1, 0], [ones, zeros])
        platt = PlattCalibrator().fit([value] * (ones + zeros), label)
        assert platt.state_["slope"] == pytest.approx(0, abs=1e-9 / value)
        assert platt([value, value * 1.01]).tolist() == pytest.approx(
            [smoothed(label).mean()] * 2, abs=1e-5
        )


@each_calibrator
@for_each("seed", range(3))
@for_each("flip", [False, True])
def test_calibrators_are_monotone_and_give_probabilities(
    calibrator, seed, flip
):
    score, label = samples(seed)
    fitted = calibrator().fit(score, 1 - label if flip else label)
    places = torch.linspace(0, 1, 301, dtype=torch.double)
    p = fitted(places)
    assert p.dtype == torch.double
    assert bool((p.diff() >= 0).all())
    assert 0 <= float(p.min()) <= float(p.max()) <= 1
    if not flip:
        assert float(p[-1] - p[0]) > 0.3


def grouped(true):
    """Probabilities k / 10, with a share of ones of `true(k / 10)`."""
    predicted = np.arange(1, 10) / 10
    ones = np.round(true(predicted) * 20_000).astype(int)
    score = np.repeat(predicted, 20_000)
    label = np.concatenate([np.arange(20_000) < n for n in ones]).astype(int)
    return score, label


def test_beta_of_calibrated_probabilities_is_the_identity():
    score, label = grouped(lambda p: p)
    beta = BetaCalibrator().fit(score, label)
    assert beta.state_["slopes"] == pytest.approx([1, 1], abs=2e-3)
    assert beta.state_["intercept"] == pytest.approx(0, abs=2e-3)
    p = [0.001, 0.2, 0.5, 0.8, 0.999]
    assert beta(p).tolist() == pytest.approx(p, abs=1e-3)


def test_beta_recovers_a_distortion_that_platt_cannot():
    def true(p):
        return expit(2 * np.log(p) - 0.5 * np.log(1 - p) + 0.7)

    score, label = grouped(true)
    beta = BetaCalibrator().fit(score, label)
    assert beta.state_["slopes"] == pytest.approx([2, 0.5], abs=1e-2)
    assert beta.state_["intercept"] == pytest.approx(0.7, abs=1e-2)
    assert beta([0.05, 0.95]).tolist() == pytest.approx(
        true(np.array([0.05, 0.95])).tolist(), abs=2e-3
    )
    platt = PlattCalibrator().fit(logit(score), label)
    best = log_loss(true(score), label)
    assert log_loss(beta(score), label) == pytest.approx(best, abs=1e-5)
    assert log_loss(platt(logit(score)), label) > best + 1e-3


@for_each("seed", range(3))
def test_beta_is_logistic_regression_on_two_logarithms(seed):
    rng = np.random.default_rng(seed)
    score = rng.uniform(0.02, 0.98, 400)
    true = expit(1.5 * np.log(score) - 0.8 * np.log(1 - score))
    label = (rng.random(400) < true).astype(int)
    features = np.stack([np.log(score), -np.log(1 - score)], axis=1)
    model = by_sklearn(features, label)
    assert model.coef_.min() > 0
    probability = BetaCalibrator().fit(score, label)(score)
    assert probability.tolist() == pytest.approx(
        model.predict_proba(features)[:, 1].tolist(), abs=1e-4
    )


def test_beta_accepts_0_and_1_and_rejects_others():
    beta = BetaCalibrator().fit([0, 0, 0.4, 0.6, 1, 1], [0, 1, 0, 1, 0, 1])
    assert bool(beta([0.0, 0.5, 1.0]).isfinite().all())
    with pytest.raises(ValueError, match=r"'score'.*\[0, 1\].*position 1"):
        beta([0.5, 1.5])
    with pytest.raises(ValueError, match=r"'score'.*\[0, 1\].*position 0"):
        BetaCalibrator().fit([-0.1, 0.5], [0, 1])


@for_each("seed", range(3))
def test_isotonic_equals_sklearn(seed):
    score, label = samples(seed)
    model = IsotonicRegression(out_of_bounds="clip").fit(score, label)
    places = np.random.default_rng(seed).uniform(-0.5, 1.5, 200)
    fitted = IsotonicCalibrator().fit(score, label)
    for x in (score, places):
        assert fitted(x).tolist() == pytest.approx(model.predict(x).tolist())


def test_isotonic_equals_the_max_min_formula():
    label = np.random.default_rng(0).integers(0, 2, 12)
    label[:2] = 0, 1
    expected = [
        max(
            min(label[j : k + 1].mean() for k in range(i, 12))
            for j in range(i + 1)
        )
        for i in range(12)
    ]
    fitted = IsotonicCalibrator().fit(np.arange(12), label)
    assert fitted(np.arange(12)).tolist() == pytest.approx(expected)
    between = (expected[3] + expected[4]) / 2
    assert fitted([3.5]).tolist() == pytest.approx([between])
    assert fitted([-math.inf, math.inf]).tolist() == pytest.approx(
        [expected[0], expected[-1]]
    )


@each_calibrator
def test_state_round_trips_through_json(calibrator):
    score, label = samples(0)
    fitted = calibrator().fit(score, label)
    again = calibrator.from_state(json.loads(json.dumps(fitted.state_)))
    assert type(again) is calibrator
    places = torch.linspace(0, 1, 101)
    assert torch.equal(again(places), fitted(places))
    # The calibrator does not share the state that it was given.
    state = dict(fitted.state_)
    again = calibrator.from_state(state)
    state.clear()
    assert torch.equal(again(places), fitted(places))
    again.fit(score, 1 - label)
    assert not torch.equal(again(places), fitted(places))


@each_calibrator
def test_fit_returns_self_and_replaces_the_state(calibrator):
    score, label = samples(0)
    fresh = calibrator().fit(*samples(1)).state_
    fitted = calibrator()
    assert fitted.fit(score, label) is fitted
    assert fitted.fit(*samples(1)).state_ == fresh


@each_calibrator
def test_unfitted_calibrator_raises(calibrator):
    with pytest.raises(
        NotFittedError, match=f"{calibrator.__name__} is not fitted"
    ):
        calibrator()([0.5])
    assert repr(calibrator()) == f"{calibrator.__name__}()"


@each_calibrator
def test_single_precision_gives_the_same_calibrator(calibrator):
    score = torch.tensor([0.125, 0.25, 0.5, 0.625, 0.75, 0.875])
    label = [0, 1, 0, 1, 0, 1]
    fitted = calibrator().fit(score, label)
    assert fitted.state_ == calibrator().fit(score.double(), label).state_
    assert torch.equal(fitted(score), fitted(score.double()))


def test_flat_platt_is_defined_at_infinity():
    platt = PlattCalibrator().fit([3.0, 2.0, 1.0, 0.0], [0, 0, 1, 1])
    got = platt([float("inf"), 0.0, -float("inf")])
    assert got.tolist() == [got[1]] * 3


def test_fit_limits_blas_to_one_thread(monkeypatch):
    def threads():
        return {
            library["num_threads"]
            for library in threadpool_info()
            if library["user_api"] == "blas"
        }

    minimize, counts = scipy.optimize.minimize, []

    def spy(*args, **kwargs):
        counts.append(threads())
        return minimize(*args, **kwargs)

    monkeypatch.setattr(scipy.optimize, "minimize", spy)
    with threadpool_limits(2, user_api="blas"):
        PlattCalibrator().fit(*samples(0))
        assert (counts, threads()) == ([{1}], {2})


def test_features_that_are_not_finite_raise():
    x = torch.tensor([[0.0], [float("nan")]])
    with pytest.raises(ValueError, match="'features'"):
        monotone_logistic(x, torch.tensor([0, 1]))
