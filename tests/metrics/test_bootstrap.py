"""Bootstrap statistics against samples that are repeated explicitly."""

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.metrics import roc_auc_score

from pyg_cagp.metrics import (
    Resampler,
    WeightedAURC,
    WeightedAUROC,
    WeightedMean,
    aurc,
    auroc,
    bca_interval,
    bootstrap_values,
    compare,
    paired_bootstrap,
)
from tests.loops import for_each


def draws(resampler, num, seed=0):
    return torch.cat(list(resampler.draw(num, seed)))


def repeat(values, weight):
    """The samples of a resample, each as often as it was drawn."""
    return np.repeat(np.asarray(values), weight.long().numpy())


class Sample(NamedTuple):
    first: np.ndarray
    second: np.ndarray
    label: np.ndarray


def sample(seed, size=40, shift=1.0):
    rng = np.random.default_rng(seed)
    label = np.tile([0, 0, 1, 0, 1], size // 5)
    first = (rng.normal(size=size) + shift * label).round(1)
    second = (rng.normal(size=size) + label).round(1)
    return Sample(first, second, label)


# Resamplers.


@for_each("num", [1, 2, 5, 30])
def test_weights_sum_to_the_number_of_samples(num):
    weight = draws(Resampler(num), 50)
    assert weight.shape == (50, num)
    assert weight.sum(dim=1).tolist() == [num] * 50
    assert torch.equal(weight, weight.round().clamp(min=0))


def test_weights_are_multinomial():
    # Each is left out with probability (1 - 1/n)^n, and its count has mean 1
    # and variance 1 - 1/n.
    weight = draws(Resampler(5), 20_000).double()
    assert weight.mean(dim=0).tolist() == pytest.approx([1] * 5, abs=0.03)
    assert weight.var(dim=0).tolist() == pytest.approx([0.8] * 5, abs=0.04)
    left_out = (weight == 0).double().mean(dim=0)
    assert left_out.tolist() == pytest.approx([0.8**5] * 5, abs=0.02)
    together = torch.corrcoef(weight.t())[0, 1:]
    assert together.tolist() == pytest.approx([-0.25] * 4, abs=0.03)


def test_strata_are_resampled_separately():
    # In no order, of different sizes, and numbered with gaps.
    strata = torch.tensor([7, 3, 3, 7, 9, 3, 7, 3])
    weight = draws(Resampler(8, strata=strata), 4000)
    for value, size in ((7, 3), (3, 4), (9, 1)):
        inside = weight[:, strata == value]
        assert bool((inside.sum(dim=1) == size).all())
        assert inside.mean(dim=0).tolist() == pytest.approx(
            [1] * size, abs=0.08
        )
        left_out = (inside == 0).double().mean(dim=0)
        assert left_out.tolist() == pytest.approx(
            [(1 - 1 / size) ** size] * size, abs=0.04
        )


def test_groups_may_be_lists():
    groups = [3, 1, 3, 1]
    for name in ("strata", "cluster"):
        as_list = Resampler(4, **{name: groups})
        as_tensor = Resampler(4, **{name: torch.tensor(groups)})
        assert torch.equal(draws(as_list, 20), draws(as_tensor, 20))


def test_strata_may_be_boolean_labels():
    label = torch.tensor([True, False, True, True])
    weight = draws(Resampler(4, strata=label), 100)
    assert bool((weight[:, label].sum(dim=1) == 3).all())
    assert bool((weight[:, ~label] == 1).all())


def test_samples_of_a_cluster_have_one_weight():
    cluster = torch.tensor([5, 2, 5, 11, 2, 5, 8])
    weight = draws(Resampler(7, cluster=cluster), 3000)
    counts = []
    for value in (2, 5, 8, 11):
        inside = weight[:, cluster == value]
        assert torch.equal(inside, inside[:, :1].expand_as(inside))
        counts.append(inside[:, 0])
    total = torch.stack(counts).sum(dim=0)
    assert bool((total == 4).all())
    left_out = [(c == 0).double().mean().item() for c in counts]
    assert left_out == pytest.approx([0.75**4] * 4, abs=0.04)


def test_weights_of_two_way_clusters_are_products():
    # All pairs of 4 heads and 5 tails: a product has rank one.
    head = torch.arange(4).repeat_interleave(5)
    tail = torch.arange(5).repeat(4)
    order = torch.randperm(20, generator=torch.Generator().manual_seed(0))
    cluster = torch.stack([head, tail])[:, order]
    drawn = draws(Resampler(20, cluster=cluster), 200)
    weight = torch.empty_like(drawn)
    weight[:, order] = drawn
    weight = weight.view(200, 4, 5)
    by_head, by_tail = weight.sum(dim=2) / 5, weight.sum(dim=1) / 4
    assert torch.equal(weight, by_head[:, :, None] * by_tail[:, None])
    assert by_head.sum(dim=1).tolist() == [4] * 200
    assert by_tail.sum(dim=1).tolist() == [5] * 200
    # Heads and tails are drawn independently.
    corner = torch.corrcoef(torch.stack([by_head[:, 0], by_tail[:, 0]]))[0, 1]
    assert abs(float(corner)) < 0.25


@for_each(
    "resampler",
    [
        Resampler(12),
        Resampler(12, strata=torch.arange(12) % 3),
        Resampler(12, cluster=torch.arange(12) // 2),
        Resampler(12, cluster=torch.stack([torch.arange(12) % 4] * 2)),
    ],
)
def test_weights_depend_on_the_seed_only(resampler):
    assert torch.equal(draws(resampler, 50, 3), draws(resampler, 50, 3))
    assert not torch.equal(draws(resampler, 50, 3), draws(resampler, 50, 4))
    before = torch.get_rng_state()
    draws(resampler, 5, 3)
    assert torch.equal(torch.get_rng_state(), before)


def test_many_samples_are_drawn_in_batches():
    num = 2**18
    batches = list(Resampler(num).draw(5, seed=1))
    assert [len(batch) for batch in batches] == [2, 2, 1]
    for batch in batches:
        assert bool((batch.sum(dim=1) == num).all())
    rows = torch.cat(batches)
    assert not torch.equal(rows[0], rows[2])
    assert not torch.equal(rows[2], rows[4])
    # A prefix of more.
    assert torch.equal(rows[:4], draws(Resampler(num), 4, seed=1))


def test_a_batch_has_at_least_one_resample():
    num = 2**19 + 1
    batches = list(Resampler(num).draw(2, seed=1))
    assert [batch.shape for batch in batches] == [(1, num)] * 2


def test_leave_one_out_weights_by_hand():
    (stratum, weight), *rest = Resampler(3).leave_one_out()
    assert (stratum, rest) == (0, [])
    assert weight.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    strata = torch.tensor([4, 1, 4])
    rows = [
        (stratum, weight.tolist())
        for stratum, weight in Resampler(3, strata=strata).leave_one_out()
    ]
    assert rows == [
        (0, [[1, 0, 1]]),
        (1, [[0, 1, 1], [1, 1, 0]]),
    ]
    cluster = torch.tensor([8, 6, 8])
    ((stratum, weight),) = Resampler(3, cluster=cluster).leave_one_out()
    assert stratum == 0
    assert weight.tolist() == [[1, 0, 1], [0, 1, 0]]


def test_bad_resamplers_raise():
    with pytest.raises(ValueError, match="'strata' or 'cluster', not both"):
        Resampler(2, strata=torch.tensor([0, 1]), cluster=torch.tensor([0, 1]))
    with pytest.raises(ValueError, match=r"'strata'.*3 samples.*shape \[2\]"):
        Resampler(3, strata=torch.tensor([0, 1]))
    with pytest.raises(ValueError, match=r"'cluster'.*shape \[3, 2\]"):
        Resampler(3, cluster=torch.zeros(3, 2, dtype=torch.long))
    with pytest.raises(ValueError, match=r"'cluster'.*whole.*float32"):
        Resampler(2, cluster=torch.tensor([0.0, 1.0]))
    with pytest.raises(ValueError, match=r"'num_samples'.*got 0"):
        Resampler(0)
    with pytest.raises(ValueError, match="'num_resamples'"):
        next(Resampler(3).draw(0, 0))
    two_way = Resampler(2, cluster=torch.tensor([[0, 1], [0, 1]]))
    with pytest.raises(ValueError, match="two kinds of cluster"):
        bca_interval(WeightedMean([1.0, 2.0]), two_way, num_resamples=20)


# Statistics as functions of weights.


@for_each("seed", range(3))
def test_values_equal_repeated_samples(seed):
    first, second, label = sample(seed)
    resampler = Resampler(40, strata=torch.from_numpy(label))
    statistics = [
        WeightedAUROC(first, label),
        WeightedMean(second),
        WeightedAUROC(second, label),
    ]
    values = bootstrap_values(
        statistics, resampler, num_resamples=60, seed=seed
    )
    assert values.shape == (3, 60)
    weight = draws(resampler, 60, seed)
    for b in range(60):
        y = repeat(label, weight[b])
        again = [
            roc_auc_score(y, repeat(first, weight[b])),
            repeat(second, weight[b]).mean(),
            roc_auc_score(y, repeat(second, weight[b])),
        ]
        assert values[:, b].tolist() == pytest.approx(again)


def area_of_loop(uncertainty, loss):
    """The mean of all risks, in which ties share their mean loss."""
    order = np.argsort(uncertainty, kind="stable")
    uncertainty, loss = (
        np.array(uncertainty)[order],
        np.array(loss, dtype=float)[order],
    )
    total, risks = 0.0, []
    for k in range(len(uncertainty)):
        total += loss[uncertainty == uncertainty[k]].mean()
        risks.append(total / (k + 1))
    return np.mean(risks)


@for_each("kind", ["plain", "cluster", "two_way"])
def test_weighted_aurc_equals_repeated_samples(kind):
    rng = np.random.default_rng(0)
    uncertainty, loss = rng.integers(0, 6, 25), rng.random(25)
    cluster = {
        "plain": None,
        "cluster": torch.arange(25) % 7,
        "two_way": torch.stack([torch.arange(25) % 4, torch.arange(25) // 4]),
    }[kind]
    resampler = Resampler(25, cluster=cluster)
    statistic = WeightedAURC(uncertainty, loss)
    values = bootstrap_values([statistic], resampler, num_resamples=50, seed=2)[
        0
    ]
    for value, weight in zip(values, draws(resampler, 50, 2), strict=True):
        again = repeat(uncertainty, weight), repeat(loss, weight)
        assert float(value) == pytest.approx(area_of_loop(*again))
        assert float(value) == pytest.approx(aurc(*again))


@for_each("dtype", [torch.float, torch.double, torch.long])
def test_weights_may_be_integer_or_floating_point(dtype):
    first, second, label = sample(0)
    weight = draws(Resampler(40), 10)
    for statistic in (
        WeightedMean(first),
        WeightedAUROC(first, label),
        WeightedAURC(first, second),
    ):
        got = statistic(weight.to(dtype))
        assert got.dtype == torch.double
        assert got.tolist() == pytest.approx(statistic(weight).tolist())


def test_undefined_statistics_are_nan():
    weight = torch.tensor([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    area = WeightedAUROC([1.0, 3.0, 2.0], [0, 1, 0])(weight)
    assert area.isnan().tolist() == [True, True, False]
    assert area[2] == 1
    zeros = torch.zeros(1, 3)
    assert WeightedMean([1, 2, 3])(zeros).isnan().all()
    assert WeightedAURC([1, 2, 3], [0, 1, 0])(zeros).isnan().all()


def test_value_is_the_statistic_of_the_samples():
    first, second, label = sample(1)
    assert WeightedMean(first).value() == pytest.approx(first.mean())
    area = roc_auc_score(label, first)
    assert WeightedAUROC(first, label).value() == pytest.approx(area)
    assert WeightedAURC(first, second).value() == pytest.approx(
        area_of_loop(first, second)
    )


@for_each("seed", range(3))
def test_leave_one_out_equals_deleted_samples(seed):
    first, _, label = sample(seed, shift=2)
    first = first.round()
    means = WeightedMean(first).leave_one_out()
    areas = WeightedAUROC(first, label).leave_one_out()
    for i in range(40):
        others, y = np.delete(first, i), np.delete(label, i)
        assert float(means[i]) == pytest.approx(others.mean())
        assert float(areas[i]) == pytest.approx(roc_auc_score(y, others))
    alone = WeightedAUROC([2, 1, 3], [1, 0, 0]).leave_one_out()
    assert alone[0].isnan()
    assert alone[1:].tolist() == [0, 1]
    assert WeightedMean([5.0]).leave_one_out().isnan().all()


def test_statistics_of_different_samples_raise():
    three, two = WeightedMean([1, 2, 3]), WeightedMean([1, 2])
    for statistics, num in (([three, two], 3), ([three], 4), ([], 3)):
        with pytest.raises(ValueError, match="samples"):
            bootstrap_values(statistics, Resampler(num), num_resamples=5)
    with pytest.raises(ValueError, match=r"'num_resamples'.*got 0"):
        bootstrap_values([three], Resampler(3), num_resamples=0)


def test_progress_is_optional(capsys):
    mean = WeightedMean([1, 2, 3])
    quiet = bootstrap_values([mean], Resampler(3), num_resamples=17)
    assert capsys.readouterr().err == ""
    loud = bootstrap_values(
        [mean], Resampler(3), num_resamples=17, progress=True
    )
    assert "17/17" in capsys.readouterr().err
    assert torch.equal(quiet, loud)


# Comparisons.


@for_each("level", [0.95, 0.8])
@for_each("shift", [0.9, 1.6])
def test_comparison_equals_numpy_on_the_same_draws(level, shift):
    first, second, label = sample(2, shift=shift)
    resampler = Resampler(40, strata=torch.from_numpy(label))
    statistics = WeightedAUROC(first, label), WeightedAUROC(second, label)
    values = bootstrap_values(
        list(statistics), resampler, num_resamples=400, seed=7
    ).numpy()
    drawn = values[0] - values[1]
    a, b = roc_auc_score(label, first), roc_auc_score(label, second)
    got = paired_bootstrap(
        first, second, label, num_resamples=400, level=level, seed=7
    )
    assert got == compare(
        *statistics, resampler, num_resamples=400, level=level, seed=7
    )
    extreme = np.sum(np.abs(drawn - (a - b)) >= abs(a - b) - 1e-12)
    assert 0 < extreme < 400
    assert got == pytest.approx(
        (
            a,
            b,
            a - b,
            np.quantile(drawn, (1 - level) / 2),
            np.quantile(drawn, (1 + level) / 2),
            (1 + extreme) / 401,
        )
    )
    other = paired_bootstrap(
        second, first, label, num_resamples=400, level=level, seed=7
    )
    assert other.p_value == pytest.approx(got.p_value)
    assert (-other.high, -other.low) == pytest.approx((got.low, got.high))


@for_each("num", [19, 999])
def test_smallest_p_value_is_one_over_resamples_plus_one(num):
    label = np.repeat([0, 1], 50)
    good, bad = np.arange(100.0), -np.arange(100.0)
    got = paired_bootstrap(good, bad, label, num_resamples=num)
    assert (got.first, got.second, got.difference) == (1, 0, 1)
    assert got.p_value == 1 / (num + 1)
    assert got.low == got.high == 1


def test_scores_of_equal_order_do_not_differ():
    first, _, label = sample(0)
    got = paired_bootstrap(first, np.exp(first), label, num_resamples=99)
    assert got[2:] == (0, 0, 0, 1)


def test_resamples_that_tie_with_the_data_count_as_extreme():
    # The mean is 0.7 and at most 1.4, by the first sample three times. That is
    # just as far from 0.7 as 0, but for rounding.
    a, b = WeightedMean([1.4, 0.1, 0.6]), WeightedMean([0, 0, 0])
    got = compare(a, b, Resampler(3), num_resamples=500)
    extreme = int((draws(Resampler(3), 500)[:, 0] == 3).sum())
    assert extreme > 5
    assert got.p_value == (1 + extreme) / 501


def test_resamples_without_a_value_are_left_out():
    # One cluster a class: half of all resamples have one class only.
    label, cluster = [0, 0, 1, 1], torch.tensor([0, 0, 1, 1])
    first, second = [1, 3, 2, 4], [1, 2, 3, 4]
    got = paired_bootstrap(
        first, second, label, num_resamples=200, cluster=cluster, seed=5
    )
    both = (draws(Resampler(4, cluster=cluster), 200, 5) > 0).all(dim=1)
    assert 70 < int(both.sum()) < 130
    # All others equal the data, and none is farther from zero.
    assert got == (0.75, 1, -0.25, -0.25, -0.25, 1 / (int(both.sum()) + 1))
    mean = bca_interval(
        WeightedAUROC(first, label),
        Resampler(4, cluster=cluster),
        num_resamples=200,
        seed=5,
    )
    assert mean == (0.75, 0.75, 0.75)


def test_resamples_without_any_value_raise():
    label, cluster = [0, 1], torch.tensor([0, 1])
    resampler = Resampler(2, cluster=cluster)
    seed = next(s for s in range(50) if draws(resampler, 1, s).max() == 2)
    with pytest.raises(ValueError, match="no resample has both classes"):
        paired_bootstrap(
            [1, 2], [2, 1], label, num_resamples=1, cluster=cluster, seed=seed
        )
    with pytest.raises(ValueError, match="no value in any resample"):
        bca_interval(
            WeightedAUROC([1, 2], label), resampler, num_resamples=1, seed=seed
        )


def test_p_values_are_uniform_under_the_null():
    rng = np.random.default_rng(0)
    label = np.repeat([0, 1], 60)
    p_values = []
    for seed in range(200):
        common = rng.normal(size=120) + label
        first, second = common + rng.normal(size=(2, 120))
        got = paired_bootstrap(
            first, second, label, num_resamples=300, seed=seed
        )
        p_values.append(got.p_value)
    assert stats.kstest(p_values, "uniform").pvalue > 0.001
    assert 0.01 <= np.mean(np.array(p_values) <= 0.05) <= 0.12


def test_p_values_are_small_for_different_scores():
    rng = np.random.default_rng(1)
    label = np.repeat([0, 1], 60)
    significant = []
    for seed in range(40):
        noise = rng.normal(size=(2, 120))
        first, second = noise + label * np.array([[1.6], [0.6]])
        got = paired_bootstrap(
            first, second, label, num_resamples=300, seed=seed
        )
        significant.append(got.p_value <= 0.05)
    assert np.mean(significant) > 0.7


def test_paired_scores_differ_less_than_unpaired_ones():
    rng = np.random.default_rng(0)
    label = np.repeat([0, 1], 60)
    common = rng.normal(size=120) + label
    close = common + 0.1 * rng.normal(size=120)
    apart = rng.normal(size=120) + label
    paired = paired_bootstrap(common, close, label, num_resamples=500)
    unpaired = paired_bootstrap(common, apart, label, num_resamples=500)
    assert unpaired.high - unpaired.low > 3 * (paired.high - paired.low)


# Intervals.


def by_efron(drawn, estimate, jackknife, level):
    """Efron's ends, from draws and the jackknife values of each stratum."""
    z0 = stats.norm.ppf(np.mean((drawn < estimate) + 0.5 * (drawn == estimate)))
    top = bottom = 0.0
    for values in jackknife:
        n = len(values)
        deviation = (n - 1) * (np.mean(values) - np.array(values))
        top += np.sum(deviation**3) / n**3
        bottom += np.sum(deviation**2) / n**2
    a = top / (6 * bottom**1.5)
    ends = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        z = z0 + stats.norm.ppf(share)
        ends.append(stats.norm.cdf(z0 + z / (1 - a * z)))
    return np.quantile(drawn, ends)


@for_each("level", [0.95, 0.7])
def test_bca_of_a_mean_equals_efron(level):
    values = np.random.default_rng(0).lognormal(size=25)
    resampler = Resampler(25)
    got = bca_interval(
        WeightedMean(values), resampler, num_resamples=800, level=level, seed=3
    )
    drawn = np.array(
        [repeat(values, weight).mean() for weight in draws(resampler, 800, 3)]
    )
    jackknife = [[np.delete(values, i).mean() for i in range(25)]]
    low, high = by_efron(drawn, values.mean(), jackknife, level)
    assert got == pytest.approx((values.mean(), low, high))
    plain = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    assert got.high > plain[1] + 0.02 * (high - low)


def test_bca_with_strata_equals_efron():
    first, _, label = sample(3, shift=1.8)
    resampler = Resampler(40, strata=torch.from_numpy(label))
    got = bca_interval(
        WeightedAUROC(first, label), resampler, num_resamples=300, seed=1
    )
    drawn = np.array(
        [
            roc_auc_score(repeat(label, w), repeat(first, w))
            for w in draws(resampler, 300, 1)
        ]
    )
    jackknife = [
        [
            roc_auc_score(np.delete(label, i), np.delete(first, i))
            for i in np.flatnonzero(label == value)
        ]
        for value in (0, 1)
    ]
    estimate = roc_auc_score(label, first)
    # Rounding must not decide what ties with the estimate.
    drawn = np.where(np.abs(drawn - estimate) < 1e-12, estimate, drawn)
    low, high = by_efron(drawn, estimate, jackknife, 0.95)
    assert got == pytest.approx((estimate, low, high), abs=1e-9)


def test_bca_with_clusters_equals_efron():
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(12), rng.integers(1, 6, 12))
    values = rng.lognormal(size=12)[cluster]
    resampler = Resampler(len(values), cluster=torch.from_numpy(cluster))
    got = bca_interval(
        WeightedMean(values), resampler, num_resamples=500, seed=1
    )
    drawn = np.array(
        [repeat(values, w).mean() for w in draws(resampler, 500, 1)]
    )
    jackknife = [[values[cluster != c].mean() for c in range(12)]]
    low, high = by_efron(drawn, values.mean(), jackknife, 0.95)
    assert got == pytest.approx((values.mean(), low, high))


def test_bca_of_aurc_equals_efron():
    rng = np.random.default_rng(0)
    uncertainty = rng.integers(0, 5, 20)
    loss = (rng.random(20) < 0.1 + uncertainty / 6).astype(float)
    resampler = Resampler(20)
    got = bca_interval(
        WeightedAURC(uncertainty, loss), resampler, num_resamples=300, seed=1
    )
    drawn = np.array(
        [
            area_of_loop(repeat(uncertainty, w), repeat(loss, w))
            for w in draws(resampler, 300, 1)
        ]
    )
    jackknife = [
        [
            area_of_loop(np.delete(uncertainty, i), np.delete(loss, i))
            for i in range(20)
        ]
    ]
    estimate = area_of_loop(uncertainty, loss)
    low, high = by_efron(drawn, estimate, jackknife, 0.95)
    assert got == pytest.approx((estimate, low, high))


def test_a_stratum_of_one_sample_adds_no_skewness():
    score, label = np.array([1.0, 4, 2, 5, 3]), np.array([0, 0, 0, 0, 1])
    resampler = Resampler(5, strata=torch.from_numpy(label))
    got = bca_interval(
        WeightedAUROC(score, label), resampler, num_resamples=200, seed=2
    )
    drawn = np.array(
        [
            roc_auc_score(repeat(label, w), repeat(score, w))
            for w in draws(resampler, 200, 2)
        ]
    )
    jackknife = [
        [
            roc_auc_score(np.delete(label, i), np.delete(score, i))
            for i in range(4)
        ]
    ]
    low, high = by_efron(drawn, 0.5, jackknife, 0.95)
    assert got == pytest.approx((0.5, low, high))


def test_bca_of_a_skewed_mean_equals_scipy():
    values = np.random.default_rng(1).lognormal(sigma=1.2, size=30)
    got = bca_interval(
        WeightedMean(values), Resampler(30), num_resamples=20_000
    )
    arguments = {"n_resamples": 20_000, "random_state": 0}
    theirs = stats.bootstrap((values,), np.mean, method="BCa", **arguments)
    plain = stats.bootstrap(
        (values,), np.mean, method="percentile", **arguments
    )
    low, high = theirs.confidence_interval
    chance = 0.03 * (high - low)
    assert got.low == pytest.approx(low, abs=chance)
    assert got.high == pytest.approx(high, abs=chance)
    # The correction is larger than what chance could hide.
    assert high - plain.confidence_interval.high > 2 * chance


def test_bca_of_auroc_equals_scipy():
    rng = np.random.default_rng(1)
    high, low = rng.normal(1.7, 1, 14), rng.normal(0, 1, 18)

    def area(positive, negative):
        return (positive[:, None] > negative).mean()

    theirs = stats.bootstrap(
        (high, low),
        area,
        n_resamples=4000,
        vectorized=False,
        method="BCa",
        random_state=0,
    ).confidence_interval
    label = torch.arange(32) < 14
    score = np.concatenate([high, low])
    got = bca_interval(
        WeightedAUROC(score, label),
        Resampler(32, strata=label),
        num_resamples=10_000,
    )
    chance = 0.06 * (theirs.high - theirs.low)
    assert got.estimate == pytest.approx(area(high, low))
    assert got.low == pytest.approx(theirs.low, abs=chance)
    assert got.high == pytest.approx(theirs.high, abs=chance)


@for_each("values", [[3.0] * 8, [4.0]])
def test_interval_of_a_constant_is_one_point(values):
    got = bca_interval(
        WeightedMean(values), Resampler(len(values)), num_resamples=50
    )
    assert got == (values[0],) * 3
    label = torch.tensor([0, 0, 1, 1])
    area = WeightedAUROC([1, 2, 3, 4], label)
    resampler = Resampler(4, strata=label)
    assert bca_interval(area, resampler, num_resamples=50) == (1, 1, 1)


def test_intervals_repeat_and_widen_with_their_level():
    mean = WeightedMean(np.random.default_rng(0).normal(size=30))
    intervals = [
        bca_interval(mean, Resampler(30), num_resamples=2000, level=level)
        for level in (0.5, 0.9, 0.99)
    ]
    for inner, outer in itertools.pairwise(intervals):
        assert outer.low < inner.low < inner.high < outer.high
    again = bca_interval(mean, Resampler(30), num_resamples=2000, level=0.99)
    assert again == intervals[-1]
    assert (
        bca_interval(
            mean, Resampler(30), num_resamples=2000, level=0.99, seed=1
        )
        != again
    )


def test_bca_intervals_have_their_coverage():
    rng = np.random.default_rng(0)
    covered = []
    for seed in range(150):
        mean = WeightedMean(rng.exponential(size=60))
        got = bca_interval(
            mean, Resampler(60), num_resamples=400, level=0.9, seed=seed
        )
        covered.append(got.low <= 1 <= got.high)
    assert 0.8 <= np.mean(covered) <= 0.97


def test_clusters_of_copies_widen_intervals():
    # Five copies of a sample carry the information of one, so the interval is
    # wider by the root of 5 than if all were independent.
    rng = np.random.default_rng(0)
    values, cluster = rng.normal(size=60), torch.arange(60)
    copies, clusters = values.repeat(5), cluster.repeat_interleave(5)

    def width(interval):
        return interval.high - interval.low

    mean = WeightedMean(copies)
    plain = width(bca_interval(mean, Resampler(300), num_resamples=3000))
    clustered = width(
        bca_interval(mean, Resampler(300, cluster=clusters), num_resamples=3000)
    )
    single = width(
        bca_interval(WeightedMean(values), Resampler(60), num_resamples=3000)
    )
    assert clustered / plain == pytest.approx(math.sqrt(5), rel=0.1)
    assert clustered == pytest.approx(single, rel=0.1)


def test_clusters_of_copies_raise_p_values():
    first, second, label = sample(4, size=60, shift=1.8)
    copies = [x.repeat(5) for x in (first, second, label)]
    cluster = torch.arange(60).repeat_interleave(5)
    plain = paired_bootstrap(*copies, num_resamples=2000)
    clustered = paired_bootstrap(*copies, num_resamples=2000, cluster=cluster)
    assert clustered[:3] == plain[:3]
    assert plain.first == pytest.approx(auroc(first, label))
    ratio = (clustered.high - clustered.low) / (plain.high - plain.low)
    assert ratio == pytest.approx(math.sqrt(5), rel=0.15)
    assert clustered.p_value > 5 * plain.p_value


@for_each("dtype", [torch.uint8, torch.bool, torch.half])
def test_weights_of_narrow_types_are_exact(dtype):
    generator = torch.Generator().manual_seed(0)
    label = torch.randint(2, (3000,), generator=generator)
    score = torch.randint(5, (3000,), generator=generator) + label
    ones = torch.ones((1, 3000), dtype=dtype)
    want = roc_auc_score(label, score)
    assert float(WeightedAUROC(score, label)(ones)) == pytest.approx(want)
