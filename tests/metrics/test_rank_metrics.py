"""Ranks against all orders in which ties could fall."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pyg_cagp.metrics import hits, ranking_metrics, ranks, reciprocal_ranks
from tests.loops import for_each


def places(higher, equal, lower=1):
    """The place of the answer in every order of its ties."""
    scores = [2] * higher + [1] * (equal + 1) + [0] * lower
    answer = higher
    for order in itertools.permutations(range(len(scores))):
        sorted_scores = [scores[i] for i in order]
        if sorted_scores == sorted(scores, reverse=True):
            yield order.index(answer) + 1


@for_each(
    ("higher", "equal"),
    [(a, b) for a in range(4) for b in range(5) if a + b <= 5],
)
def test_metrics_are_means_over_all_orders_of_ties(higher, equal):
    expected = list(places(higher, equal))
    mean = sum(expected) / len(expected)
    assert ranks([higher], [equal]).tolist() == pytest.approx([mean])
    assert reciprocal_ranks([higher], [equal]).tolist() == pytest.approx(
        [sum(1 / r for r in expected) / len(expected)]
    )
    for k in (1, 2, 3, 5, 10):
        assert hits([higher], [equal], k).tolist() == pytest.approx(
            [sum(r <= k for r in expected) / len(expected)]
        )
    for ties, rank in (
        ("optimistic", min(expected)),
        ("pessimistic", max(expected)),
    ):
        assert ranks([higher], [equal], ties=ties).tolist() == [rank]
        assert reciprocal_ranks([higher], [equal], ties=ties).tolist() == [
            1 / rank
        ]
        for k in (1, 2, 3, 5):
            assert hits([higher], [equal], k, ties=ties).tolist() == [rank <= k]


@for_each("n", [1, 2, 7, 100, 14_541])
def test_a_constant_scorer_equals_a_random_one(n):
    result = ranking_metrics([0, 0], [n - 1] * 2, [n] * 2, ks=(1, 3, 10))
    harmonic = sum(1 / k for k in range(1, n + 1))
    assert result["mrr"] == pytest.approx(harmonic / n)
    assert result["mean_rank"] == pytest.approx((n + 1) / 2)
    for k in (1, 3, 10):
        assert result[f"hits@{k}"] == pytest.approx(min(1, k / n))
    assert result["amr"] == pytest.approx(1)
    assert result["amri"] == pytest.approx(0)


def test_amri_of_a_constant_scorer_is_zero_for_mixed_candidates():
    result = ranking_metrics([0, 0, 0], [2, 10, 49], [3, 11, 50])
    assert result["amr"] == pytest.approx(1)
    assert result["amri"] == pytest.approx(0)


def test_metrics_by_hand():
    # Ranks 2 of 3 and 5 of 11; by chance 2 and 6.
    result = ranking_metrics([1, 4], [0, 0], [3, 11], ks=(1, 2, 5))
    assert result == {
        "mrr": pytest.approx((1 / 2 + 1 / 5) / 2),
        "mean_rank": 3.5,
        "hits@1": 0,
        "hits@2": 0.5,
        "hits@5": 1,
        "amr": pytest.approx(7 / 8),
        "amri": pytest.approx(1 - (1 + 4) / (1 + 5)),
    }


def test_best_and_worst_ranks():
    best = ranking_metrics([0, 0], [0, 0], [5, 9])
    assert (best["mrr"], best["hits@1"], best["amri"]) == (1, 1, 1)
    worst = ranking_metrics([4, 8], [0, 0], [5, 9])
    assert worst["amri"] == -1
    assert worst["mean_rank"] == 7


counts = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 5)),
    min_size=1,
    max_size=8,
)


@settings(deadline=None, max_examples=50)
@given(counts)
def test_realistic_ties_lie_between_the_bounds(rows):
    higher, equal, _ = zip(*rows, strict=True)
    num = [a + b + c + 1 for a, b, c in rows]
    results = {
        ties: ranking_metrics(higher, equal, num, ties=ties)
        for ties in ("optimistic", "realistic", "pessimistic")
    }
    for name, sign in (
        ("mrr", 1),
        ("mean_rank", -1),
        ("hits@1", 1),
        ("hits@3", 1),
        ("hits@10", 1),
        ("amr", -1),
        ("amri", 1),
    ):
        good, mean, bad = (sign * results[ties][name] for ties in results)
        assert good >= mean - 1e-12
        assert mean >= bad - 1e-12
    # Without ties the three agree.
    for ties in results:
        results[ties] = ranking_metrics(higher, [0] * len(rows), num, ties=ties)
    assert (
        results["optimistic"] == results["realistic"] == results["pessimistic"]
    )


def test_reciprocal_rank_of_ties_is_a_mean_of_reciprocals():
    # H_4 / 4, and not 1 / 2.5.
    assert reciprocal_ranks([0], [3]).tolist() == pytest.approx([25 / 48])


@for_each("higher", [0, 10, 100_000, 2_000_000])
def test_reciprocals_of_large_ranks_equal_sums(higher):
    for equal in (0, 1, 1000):
        expected = sum(1 / k for k in range(higher + 1, higher + equal + 2))
        got = float(reciprocal_ranks([higher], [equal]))
        assert got == pytest.approx(expected / (equal + 1), rel=1e-6)


@for_each("bad", [-1, 0.5, -0.25])
@for_each("name", ["higher", "equal"])
def test_counts_that_are_negative_or_fractional_raise(name, bad):
    rows = {"higher": [0, 1, 2], "equal": [1, 0, 3]}
    rows[name][1] = bad
    for metric in (
        ranks,
        reciprocal_ranks,
        lambda higher, equal: hits(higher, equal, 1),
        lambda higher, equal: ranking_metrics(higher, equal, [9] * 3),
    ):
        with pytest.raises(
            ValueError, match=f"'{name}' must hold counts.*position 1"
        ):
            metric(**rows)


@for_each("bad", [float("inf"), float("nan")])
def test_counts_that_are_not_finite_raise(bad):
    with pytest.raises(ValueError, match=r"'higher'.*position 0"):
        ranks([bad], [0])
    with pytest.raises(ValueError, match=r"'num_candidates'.*position 0"):
        ranking_metrics([0], [0], [bad])


@for_each("num", [[3, 4], [4, 3], [9], [9, 9, 9]])
def test_too_few_candidates_raise(num):
    # Two higher, one equal and the answer itself make four.
    ranking_metrics([2, 2], [1, 1], [4, 4])
    for ties in ("optimistic", "realistic"):
        with pytest.raises(ValueError, match="'num_candidates'"):
            ranking_metrics([2, 2], [1, 1], num, ties=ties)


def test_tensors_of_counts():
    higher, equal = torch.tensor([0, 3, 9]), torch.tensor([0, 1, 4])
    assert ranks(higher, equal).tolist() == [1, 4.5, 12]
    assert hits(higher, equal, 10).tolist() == pytest.approx([1, 1, 0.2])
    assert hits(higher, equal, 4).tolist() == pytest.approx([1, 0.5, 0])
    result = ranking_metrics(higher, equal, torch.tensor([20] * 3), ks=(4,))
    assert result["hits@4"] == pytest.approx(0.5)
    assert list(result) == ["mrr", "mean_rank", "hits@4", "amr", "amri"]
