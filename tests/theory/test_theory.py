"""The paper's assumptions and theorems, by hand and by brute force."""

import dataclasses

import pytest
import torch
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from pyg_cagp import Coverage, theory
from pyg_cagp.data import triples
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols import Standard, TemporalLike
from pyg_cagp.transforms import TemporalLikeOOD
from pyg_cagp.uncertainty import normalised_semantic
from tests.loops import for_each

EPSILONS = (0, 1, 2, 5, 10)


@pytest.fixture(scope="module")
def data():
    kg = SyntheticKG(num_nodes=300, num_relations=12, num_triples=2500)[0]
    return TemporalLikeOOD(quantile=0.25, inclusive=True)(kg)


@pytest.fixture(scope="module")
def test(data):
    partition = TemporalLikeOOD(quantile=0.25, inclusive=True)
    return TemporalLike(partition).label(data, "test")


@pytest.fixture(scope="module")
def variance(data):
    # Falls with frequency, but not without exception.
    frequency = Coverage.from_data(data).frequency().double()
    generator = torch.Generator().manual_seed(0)
    noise = torch.rand(data.num_nodes, generator=generator).double()
    return (1 + noise) / (1 + frequency)


@for_each("reference", ["id", "train"])
def test_overlap_equals_all_pairs(data, test, reference):
    frequency = Coverage.from_data(data).frequency()
    points = frequency[data.edge_index].t()
    kind = data.ood_type
    novel = points[data.test_mask & (kind == 2)]
    others = points[
        data.test_mask & (kind == 0) if reference == "id" else data.train_mask
    ]
    gap = (novel[:, None] - others[None]).abs().amax(dim=2).amin(dim=1)
    train = triples(data, "train") if reference == "train" else None
    got = theory.frequency_distance(test, train=train)
    assert torch.equal(got, gap.double())
    shares = theory.frequency_overlap(test, epsilons=EPSILONS, train=train)
    assert shares == {e: float((gap <= e).double().mean()) for e in EPSILONS}
    assert shares[0] < shares[10]


def test_assumptions_equal_all_pairs(data, test, variance):
    got = theory.assumptions(test, variance, epsilons=EPSILONS)
    frequency = Coverage.from_data(data).frequency()
    head, rel, tail = triples(data, "test")
    kind = data.ood_type[data.test_mask]
    missing = Coverage.from_data(data).missing(head, rel, tail)
    low, high = variance.min(), variance.max()
    scaled = 2 * (variance - low) / (high - low)
    semantic = (scaled[head] + scaled[tail]) / 2
    assert got["A1"]["spearman"] == pytest.approx(
        spearmanr(frequency, variance)[0]
    )
    assert got["A1"]["holds"] is False
    assert got["A2"] == {"coverage": 1.0, "holds": True}
    gap = semantic[kind == 0][None] - semantic[kind == 2][:, None]
    assert got["A4"]["delta"] == pytest.approx(float(gap.max()))
    assert got["A4"]["share_below_1"] == pytest.approx(
        float((gap < 1).double().mean())
    )
    assert got["A4"]["holds"] == (float(gap.max()) < 1)
    rho = float((missing[kind == 1] == 0).double().mean())
    assert 0 < rho < 1
    assert got["A5"] == {"rho": rho, "holds": True}
    chosen = kind != 2
    want = roc_auc_score(kind[chosen] == 1, semantic[chosen])
    assert got["A6"]["auroc"] == pytest.approx(want)
    assert got["A3"]["id"] == theory.frequency_overlap(test, epsilons=EPSILONS)
    assert got["A3"]["holds"] is False


def test_a1_holds_for_strict_monotony_only(data, test):
    frequency = Coverage.from_data(data).frequency().double()
    falls = theory.assumptions(test, 1 / (1 + frequency))["A1"]
    assert falls == {"spearman": pytest.approx(-1), "holds": True}
    # The two most frequent entities change places.
    values = 1 / (1 + frequency)
    first, second = frequency.argsort(descending=True)[:2]
    assert frequency[first] != frequency[second]
    values[first], values[second] = (
        values[second].clone(),
        values[first].clone(),
    )
    assert theory.assumptions(test, values)["A1"]["holds"] is False
    flat = theory.assumptions(test, torch.ones(data.num_nodes))["A1"]
    assert flat == {"spearman": None, "holds": False}


def test_theorems_hold_exactly(test, variance):
    got = theory.theorems(test, variance)
    signals = theory.signals(test, variance)
    part = got["structural on emerging"]
    # Exactly so, as ID triples have no missing pair and ties count half.
    assert part["measured"] == pytest.approx(part["predicted"], abs=1e-12)
    assert part["predicted by the paper"] < part["measured"]
    assert got["structural on novel"]["measured"] == 1
    mix = got["mix"]
    assert mix["on novel"] == 1
    delta = theory.assumptions(test, variance)["A4"]["delta"]
    assert mix["alpha bound"] == pytest.approx(1 / (1 + delta))
    # Beyond the bound, an ID triple passes a novel context.
    alpha = mix["alpha bound"] * 1.001
    beyond = alpha * signals.semantic + (1 - alpha) * signals.structural
    assert signals.area(beyond, 2) < 1
    assert mix["overall"] > mix["structural overall"]
    assert mix["overall"] > mix["semantic overall"]


def test_semantic_signal_lies_between_0_and_2(data, variance):
    ends = data.edge_index
    scaled = normalised_semantic(variance, *ends)
    assert 0 <= float(scaled.min()) < float(scaled.max()) <= 2
    other = normalised_semantic(3 * variance + 1, *ends)
    torch.testing.assert_close(scaled, other)
    flat = normalised_semantic(torch.ones(data.num_nodes), *ends)
    assert bool((flat == 0).all())


def test_figures_without_triples_are_none(test, variance):
    chosen = test.kind == 0
    only_id = dataclasses.replace(
        test,
        head=test.head[chosen],
        rel=test.rel[chosen],
        tail=test.tail[chosen],
        kind=test.kind[chosen],
    )
    got = theory.assumptions(only_id, variance)
    for name in ("A3", "A4", "A5", "A6"):
        assert got[name]["holds"] is None
    assert got["A2"]["holds"] is True
    assert "mix" not in theory.theorems(only_id, variance)


def test_bad_input_raises(data, test, variance):
    for wrong in (data, Standard().label(data, "test")):
        with pytest.raises(InvalidInputError, match="of TemporalLike"):
            theory.assumptions(wrong, variance)
    with pytest.raises(InvalidInputError, match="one entry for each of 300"):
        theory.signals(test, variance[:-1])
    broken = variance.clone()
    broken[7] = torch.nan
    with pytest.raises(InvalidInputError, match="got nan for entity 7"):
        theory.signals(test, broken)


@pytest.mark.data
def test_measures_of_fb15k_237_equal_the_audit(real):
    """Section 1 of the audit, and the paper's measures of A3 and A5."""
    kg = real("fb15k-237")
    stated, table2, appendix = (
        TemporalLike(preset).label(kg, "test")
        for preset in ("stated", "table2", "appendix")
    )
    variance = 1 / (1 + Coverage.from_data(kg).frequency().double())
    part = theory.theorems(stated, variance)["structural on emerging"]
    assert part["measured"] == pytest.approx(0.8214, abs=5e-5)
    assert part["predicted"] == pytest.approx(part["measured"], abs=1e-12)
    got = theory.assumptions(table2, variance)
    assert got["A5"]["rho"] == pytest.approx(0.432, abs=5e-4)
    shares = theory.frequency_overlap(appendix, train=triples(kg, "train"))
    # The paper's "100 %" is of training triples, and 99.2 % at epsilon = 1.
    assert shares[1] == pytest.approx(0.9917, abs=5e-5)
    assert shares[50] == 1
    assert theory.frequency_overlap(appendix)[1] < 0.66
