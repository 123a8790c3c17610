"""UKGE and BEUrRE, against what their papers define."""

import pytest
import torch
from scipy.special import k0
from scipy.stats import spearmanr

from pyg_cagp.data import TripleIndex
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import UKGE, BEUrRE
from pyg_cagp.nn.kge.beurre import Boxes, gumbel_intersection, log_volume
from pyg_cagp.uncertainty.baselines import BEUrREUncertainty, UKGEUncertainty
from tests.loops import for_each

N, R = 12, 3


def triples(num=30, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return tuple(
        torch.randint(size, (num,), generator=generator) for size in (N, R, N)
    )


@for_each("beta", [0.05, 0.2])
def test_volume_of_gumbel_boxes(beta):
    """Corners are Gumbel variables; volumes are means over them."""
    side = torch.tensor([0.1, 0.5, 1.0, 2.0], dtype=torch.double)
    generator = torch.Generator().manual_seed(0)
    noise = torch.rand((2, 400_000), generator=generator, dtype=torch.double)
    gumbel = -(-noise.log()).log() * beta
    # The lower corner is a maximum, the upper one a minimum.
    drawn = (side[:, None] - gumbel[1]) - gumbel[0]
    simulated = drawn.clamp(min=0).mean(dim=1)
    exact = (
        2 * beta * torch.from_numpy(k0(2 * (-side / (2 * beta)).exp().numpy()))
    )
    torch.testing.assert_close(simulated, exact, rtol=0.02, atol=1e-3)
    boxes = Boxes(torch.zeros_like(side)[:, None], side[:, None])
    # Softplus stands in for the Bessel function, with a small error.
    got = log_volume(boxes, beta).exp()
    torch.testing.assert_close(got, exact, rtol=0.12, atol=beta / 8)
    # In two dimensions the volume is a product.
    twice = Boxes(torch.zeros(4, 2).double(), side[:, None].expand(4, 2))
    torch.testing.assert_close(log_volume(twice, beta).exp(), got**2)


def test_intersection_of_gumbel_boxes():
    """The maximum of Gumbel variables is a Gumbel variable."""
    beta = 0.3
    first = Boxes(torch.tensor([0.0]), torch.tensor([1.0]))
    second = Boxes(torch.tensor([0.2]), torch.tensor([0.9]))
    got = gumbel_intersection(first, second, beta)
    generator = torch.Generator().manual_seed(0)
    gumbel = -(-torch.rand((2, 400_000), generator=generator).log()).log()
    low = (torch.tensor([[0.0], [0.2]]) + beta * gumbel).amax(0)
    high = (torch.tensor([[1.0], [0.9]]) - beta * gumbel).amin(0)
    mean = 0.5772 * beta  # Of a Gumbel variable around its location.
    assert float(got.low) == pytest.approx(float(low.mean()) - mean, abs=2e-3)
    assert float(got.high) == pytest.approx(float(high.mean()) + mean, abs=2e-3)
    # With little noise, it equals the intersection of hard boxes.
    hard = gumbel_intersection(first, second, 1e-3)
    assert float(hard.low) == pytest.approx(0.2, abs=1e-3)
    assert float(hard.high) == pytest.approx(0.9, abs=1e-3)


def test_confidence_of_boxes_by_hand():
    model = BEUrRE(2, 1, hidden_channels=1, beta=1e-4)
    with torch.no_grad():
        # Head [0, 1], tail [0.5, 2.5]; the relation moves the head by 0.25
        # and halves the tail: [0.25, 1.25] and [0.5, 1.5], of which 3/4 meet.
        model.node_emb.weight.copy_(
            torch.tensor([[0.0, 0.0], [0.5, torch.tensor(2.0).log()]])
        )
        half = float(torch.tensor(0.5).log())
        model.rel_emb.weight.copy_(torch.tensor([[0.25, 0.0, 0.0, half]]))
        zero, one = torch.tensor([0]), torch.tensor([1])
        assert float(model.confidence(zero, zero, one)) == pytest.approx(
            0.75, abs=1e-3
        )
        assert float(model(zero, zero, one)) <= 0


def test_disjoint_boxes_have_gradients():
    """Their probability underflows, but its logarithm has a slope."""
    model = BEUrRE(2, 1, hidden_channels=2)
    with torch.no_grad():
        model.node_emb.weight.copy_(
            torch.tensor([[0.0, 0, 0, 0], [50.0, 50, 0, 0]])
        )
    score = model(torch.tensor([0]), torch.tensor([0]), torch.tensor([1]))
    score.sum().backward()
    grad = model.node_emb.weight.grad
    assert bool(torch.isfinite(grad).all())
    assert float(grad[0, 0]) > 0 > float(grad[1, 0])  # Towards each other.


@for_each("kind", ["logistic", "rectified"])
def test_loss_of_ukge_by_hand(kind):
    torch.manual_seed(0)
    model = UKGE(
        N,
        R,
        hidden_channels=4,
        map=kind,
        num_negatives=6,
        psl_weight=0.3,
        l2_weight=0.01,
    )
    torch.nn.init.normal_(model.node_emb.weight)
    head, rel, tail = triples()
    given = torch.rand(30)
    inferred = (*triples(5, seed=1), torch.rand(5))
    got = model.loss(head, rel, tail, confidence=given, inferred=inferred)
    model.generator = None  # Repeats the corruption.
    wrong = model.corrupt(head, rel, tail)

    def f(h, r, t):
        product = model.node_emb(h) * model.rel_emb(r) * model.node_emb(t)
        g = product.sum(-1) * model.slope + model.intercept
        return g.sigmoid() if kind == "logistic" else g

    want = (f(head, rel, tail) - given).square().mean()
    for side in range(2):
        part = [column[side].reshape(-1) for column in wrong]
        want = want + f(*part).square().mean() / 2
    short = (inferred[3] - f(*inferred[:3])).clamp(min=0)
    want = want + 0.3 * short.square().mean()
    if kind == "rectified":
        norms = (
            model.node_emb(head).square().sum(1)
            + model.rel_emb(rel).square().sum(1)
            + model.node_emb(tail).square().sum(1)
        )
        want = want + 0.01 * norms.mean()
    torch.testing.assert_close(got, want)
    confidence = model.confidence(head, rel, tail).detach()
    assert 0 <= float(confidence.min()) <= float(confidence.max()) <= 1


def test_corruption_changes_one_end_and_avoids_known_triples():
    model = UKGE(N, R, hidden_channels=4, num_negatives=10)
    head, rel, tail = triples(60)
    known = TripleIndex(head, rel, tail, N, R)
    h, r, t = model.corrupt(head, rel, tail, known=known)
    assert h.shape == (2, 5, 60)
    assert torch.equal(r, rel.expand(2, 5, 60))
    assert torch.equal(t[0], tail.expand(5, 60))
    assert torch.equal(h[1], head.expand(5, 60))
    filtered = known.contains(h, r, t).double().mean()
    unfiltered = known.contains(*model.corrupt(head, rel, tail)).double().mean()
    assert float(filtered) < 0.02 < float(unfiltered)


@for_each("name", ["ukge", "beurre"])
def test_given_confidences_are_learned(name):
    """Triples of odd relations have the lower confidence."""
    kg = SyntheticKG(num_nodes=600, num_relations=20, num_triples=8000)[0]
    low = kg.edge_type % 2 == 1
    kg.edge_confidence = torch.where(low, 0.3, 0.9)
    estimator = {
        "ukge": lambda: UKGEUncertainty(
            UKGE(kg.num_nodes, kg.num_relations, hidden_channels=16),
            epochs=8,
            lr=0.03,
        ),
        "beurre": lambda: BEUrREUncertainty(
            BEUrRE(
                kg.num_nodes,
                kg.num_relations,
                hidden_channels=8,
                num_negatives=4,
            ),
            epochs=6,
            lr=0.03,
        ),
    }[name]().fit(kg)
    assert estimator.losses_[-1] < estimator.losses_[0]
    some = kg.train_mask.nonzero().view(-1)[:2000]
    head, tail = kg.edge_index[:, some]
    got = estimator.confidence(head, kg.edge_type[some], tail)
    assert spearmanr(got, kg.edge_confidence[some])[0] > 0.5
    variance = (
        (kg.edge_confidence[some] - kg.edge_confidence[some].mean())
        .square()
        .mean()
    )
    assert float((got - kg.edge_confidence[some]).square().mean()) < variance


def test_bad_options_raise():
    with pytest.raises(InvalidInputError, match="'map'"):
        UKGE(N, R, hidden_channels=4, map="linear")
    with pytest.raises(InvalidInputError, match="'volume'"):
        BEUrRE(N, R, hidden_channels=4, volume="hard")
    with pytest.raises(InvalidInputError, match="'num_negatives'"):
        UKGE(N, R, hidden_channels=4, num_negatives=1)
