"""Curves against scikit-learn, counting, and resampling by hand."""

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score, roc_curve

from pyg_cagp.report.curves import best_risk, risk_band, roc_band


def sample(num=300, seed=0, ties=True):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, num)
    score = rng.normal(label.astype(float), 1.0)
    if ties:
        score = score.round(0)
    return torch.from_numpy(score), torch.from_numpy(label)


@pytest.mark.parametrize("ties", [True, False])
def test_roc_is_that_of_scikit_learn(ties):
    score, label = sample(ties=ties)
    band = roc_band(score, label)
    fpr, tpr, _ = roc_curve(label, score, drop_intermediate=False)
    # Where a curve is vertical, its upper end counts.
    upper = [
        np.interp(x, fpr, tpr) if x not in fpr else tpr[fpr == x].max()
        for x in band.x.numpy()
    ]
    assert np.allclose(band.y, upper, atol=1e-9)
    if ties:  # Few corners, so that the grid loses little of the area.
        area = float(torch.trapezoid(band.y, band.x))
        assert area == pytest.approx(roc_auc_score(label, score), abs=5e-3)


def test_a_perfect_score_has_a_vertical_curve():
    band = roc_band(
        torch.tensor([0.1, 0.2, 0.8, 0.9]), torch.tensor([0, 0, 1, 1])
    )
    assert band.y.tolist() == [1.0] * 101
    assert band.low.tolist() == [1.0] * 101


def test_bands_are_those_of_resampling_by_hand():
    score, label = sample(200, ties=False)
    band = roc_band(score, label, seed=1)
    rng = np.random.default_rng(5)
    rows = []
    for _ in range(400):
        index = np.concatenate(
            [
                rng.choice(
                    np.flatnonzero(label.numpy() == c), int((label == c).sum())
                )
                for c in (0, 1)
            ]
        )
        fpr, tpr, _ = roc_curve(label[index], score[index])
        rows.append(np.interp(0.3, fpr, tpr))
    low, high = np.quantile(rows, [0.025, 0.975])
    assert float(band.low[30]) == pytest.approx(low, abs=0.03)
    assert float(band.high[30]) == pytest.approx(high, abs=0.03)
    assert bool((band.low <= band.y + 1e-9).all())
    assert bool((band.y <= band.high + 1e-9).all())


def test_risk_is_counted():
    uncertainty = torch.tensor([0.1, 0.2, 0.3, 0.4])
    error = torch.tensor([0, 1, 0, 1])
    band = risk_band(uncertainty, error)
    pairs = torch.stack([band.x, band.y], dim=1).tolist()
    at = {round(x, 2): y for x, y in pairs}
    assert at[0.25] == pytest.approx(0.0)
    assert at[0.5] == pytest.approx(0.5)
    assert at[0.75] == pytest.approx(1 / 3)
    assert at[1.0] == pytest.approx(0.5)


def test_ties_are_answered_in_no_order():
    error = torch.tensor([0, 1, 1, 0, 1])
    band = risk_band(torch.zeros(5), error)
    assert torch.allclose(band.y, torch.tensor(0.6, dtype=torch.double))


def test_the_best_risk_is_that_of_a_perfect_uncertainty():
    error = torch.tensor([1, 0, 0, 1, 0, 1, 0, 0, 1, 0])
    perfect = risk_band(error.double() + torch.linspace(0, 0.1, 10), error)
    # Between two answers, a share of the next one is given.
    places = [9, 29, 59, 79, 99]
    assert torch.allclose(best_risk(error)[places], perfect.y[places])
