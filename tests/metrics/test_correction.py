"""Holm's correction against hand and against its step-down procedure."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyg_cagp.metrics import holm
from tests.loops import for_each


def test_holm_by_hand():
    # 4 * 0.005, 3 * 0.01, 2 * 0.03, 1 * 0.04 that may not be less.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx(
        [0.03, 0.06, 0.06, 0.02]
    )
    assert holm([0.6, 0.5]) == [1, 1]
    assert holm([0.02]) == [0.02]
    assert holm([]) == []
    assert holm([0.0, 1.0]) == [0, 1]


def rejected(p_values, alpha):
    """Rejects one after another, until one is too large."""
    remaining = sorted(range(len(p_values)), key=lambda i: p_values[i])
    rejections = set()
    while remaining and p_values[remaining[0]] * len(remaining) <= alpha:
        rejections.add(remaining.pop(0))
    return rejections


thousandths = st.lists(st.integers(0, 1000), min_size=1, max_size=12)


@settings(deadline=None)
@given(thousandths, st.integers(0, 999))
def test_adjusted_p_values_reject_as_the_step_down_procedure(drawn, alpha):
    p_values = [p / 1000 for p in drawn]
    # Between thousandths, so that no rounding decides.
    alpha = alpha / 1000 + 0.0005
    adjusted = holm(p_values)
    below = {i for i, p in enumerate(adjusted) if p <= alpha}
    assert below == rejected(p_values, alpha)


@settings(deadline=None)
@given(thousandths)
def test_holm_equals_a_naive_loop(drawn):
    p_values = [p / 1000 for p in drawn]
    adjusted = holm(p_values)
    for p, got in zip(p_values, adjusted, strict=True):
        # Of all that are no larger, each times how many are no smaller, where
        # the first of equal ones has all of them beside it.
        worst = max(
            q * sum(other >= q for other in p_values)
            for q in p_values
            if q <= p
        )
        assert got == pytest.approx(min(1, worst))
        assert p <= got <= min(1, len(p_values) * p) + 1e-12


@for_each("undefined", [None, math.nan, np.nan, np.float64("nan")])
def test_undefined_p_values_are_skipped(undefined):
    got = holm([undefined, 0.01, undefined, 0.04])
    assert got == [None, pytest.approx(0.02), None, pytest.approx(0.04)]
    assert holm([undefined]) == [None]


@for_each("bad", [-0.01, 1.01, math.inf, -math.inf])
def test_bad_p_values_raise(bad):
    with pytest.raises(ValueError, match=r"'p_values'.*at position 2"):
        holm([0.5, None, bad])
