"""Draws of scores against draws of coordinates and against closed forms."""

import pytest
import torch

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import (
    KG2E,
    GaussianComplEx,
    GaussianDistMult,
    GaussianRotatE,
    GaussianTransE,
    KvsAll,
    OneNegative,
    QueryBatch,
    SampledSoftmax,
    SelfAdversarial,
)
from pyg_cagp.nn.kge.draw import Moments
from pyg_cagp.nn.kge.integrate import (
    noisy_pairs,
    noisy_products,
    raised_products,
)
from tests.nn.test_contract import N, R, triples

CLASSES = [GaussianDistMult, GaussianComplEx]
MANY = 3000


def make(kind=GaussianDistMult, **options):
    torch.manual_seed(0)
    model = kind(N, R, 4, **options)
    torch.nn.init.normal_(model.node_emb.weight, std=0.7)
    torch.nn.init.normal_(model.rel_emb.weight)
    torch.nn.init.uniform_(model.node_log_var.weight, -2, 0)
    model.observe(*triples()[::2])
    model.generator = torch.Generator().manual_seed(0)
    return model


def z_scores(draws, expected, error=0.0):
    """How many standard errors the mean of draws is from what is expected."""
    spread = draws.std(0).square() / len(draws) + error**2
    return (draws.mean(0) - expected) / spread.sqrt().clamp(min=1e-6)


@pytest.mark.parametrize("covariance", ["diagonal", "spherical"])
@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("side", ["tail", "head"])
def test_scores_of_a_query_have_the_distribution_of_drawn_candidates(
    kind, covariance, side
):
    model = make(kind, covariance=covariance, noise="score")
    every, rel = torch.arange(N), torch.tensor([0, 2])
    # A query is a point here: given it, scores are independent.
    given = model.node_emb(torch.tensor([3, 5])).detach()
    query = model.query(side, given, rel).detach()
    std = (model.node_log_var.weight / 2).exp()
    nodes = Moments(model.node_emb.weight, std)
    mean = model.score_candidates(side, given, rel, nodes.mean)
    variance = query.square() @ model.variance(every).t()
    with torch.no_grad():
        by_score = torch.stack(
            [
                noisy_products(query, nodes, torch.randn(2, N))
                for _ in range(MANY)
            ]
        )
        by_coordinate = torch.stack(
            [
                model.score_candidates(side, given, rel, model.sample(every))
                for _ in range(MANY)
            ]
        )
    for draws in (by_score, by_coordinate):
        assert z_scores(draws, mean).abs().max() < 4.5
        ratio = draws.var(0) / variance
        assert (ratio - 1).abs().max() < 5 * (2 / MANY) ** 0.5
    # Independent candidates: off the diagonal, correlations vanish.
    apart = torch.corrcoef(by_score[:, 0].t()) - torch.eye(N)
    assert apart.abs().max() < 5 / MANY**0.5
    torch.testing.assert_close(
        raised_products(query, nodes), mean + variance / 2
    )


@pytest.mark.parametrize("covariance", ["diagonal", "spherical"])
@pytest.mark.parametrize("shape", ["pair", "product"])
def test_closed_gradients_are_those_of_autograd(covariance, shape):
    torch.manual_seed(0)
    width = 1 if covariance == "spherical" else 4
    query = torch.randn(5, 4, dtype=torch.double, requires_grad=True)
    mean = torch.randn(5, 4, dtype=torch.double, requires_grad=True)
    std = torch.rand(5, width, dtype=torch.double, requires_grad=True)
    noise = torch.randn(5, 5, dtype=torch.double)

    def score(query, mean, std):
        nodes = Moments(mean, std)
        if shape == "product":
            return noisy_products(query, nodes, noise.clone())
        return noisy_pairs(query, nodes, noise[0])

    assert torch.autograd.gradcheck(score, (query, mean, std))


def moments_of(model, batch, num):
    """The loss and all gradients of many steps."""
    losses, grads = [], []
    for _ in range(num):
        model.zero_grad()
        loss = model.loss(*batch)
        loss.backward()
        losses.append(loss.detach())
        weights = model.parameters()
        grads.append(torch.cat([w.grad.flatten() for w in weights]))
    return torch.stack(losses), torch.stack(grads)


@pytest.mark.parametrize(
    "objective",
    [
        SampledSoftmax(num_negatives=30),
        SelfAdversarial(num_negatives=30),
        OneNegative(),
        OneNegative(kind="margin"),
        OneNegative(head_rate=torch.tensor([0.2, 0.5, 0.9])),
    ],
    ids=["softmax", "adversarial", "bce", "margin", "bernoulli"],
)
@pytest.mark.parametrize(
    "options",
    [{}, {"kind": GaussianComplEx, "covariance": "spherical"}],
    ids=["distmult", "complex, spherical"],
)
def test_expected_loss_and_gradient_are_those_of_coordinates(
    objective, options
):
    batch = triples(10)
    results = []
    for noise in ("coordinate", "score"):
        model = make(objective=objective, noise=noise, **options)
        results.append(moments_of(model, batch, 300))
    for old, new in zip(*results, strict=True):
        error = old.std(0) / len(old) ** 0.5
        assert z_scores(new, old.mean(0), error).abs().max() < 4.5


@pytest.mark.parametrize("covariance", ["diagonal", "spherical"])
@pytest.mark.parametrize("noise", ["score", "none"])
@pytest.mark.parametrize("kind", CLASSES)
def test_queries_of_an_epoch_have_the_loss_of_triples(kind, noise, covariance):
    """Without variances, the three kinds of noise are one loss."""
    losses = []
    for way in ("coordinate", noise):
        model = make(kind, objective=KvsAll(), noise=way, covariance=covariance)
        torch.nn.init.constant_(model.node_log_var.weight, -60)
        losses.append(model.loss(*triples()))
    torch.testing.assert_close(losses[1], losses[0])


@pytest.mark.parametrize("covariance", ["diagonal", "spherical"])
@pytest.mark.parametrize("side", ["tail", "head"])
@pytest.mark.parametrize("kind", CLASSES)
def test_no_noise_is_a_bound_of_the_expected_loss(kind, side, covariance):
    h, r, t = triples(10)
    given, answer = (h, t) if side == "tail" else (t, h)
    objective = KvsAll()
    model = make(kind, objective=objective, noise="none", covariance=covariance)
    # Exponentials of wide scores have means that few draws reach.
    torch.nn.init.uniform_(model.node_log_var.weight, -4, -3)
    batch = QueryBatch.group(side, given, r, answer)
    every = torch.arange(N)
    with torch.no_grad():
        nodes, _ = model.draw_all()
        bound = objective.nll(model, batch, nodes)
        point = model.node_emb(batch.given)
        query = side, point, batch.rel_type
        losses, raised = [], []
        for _ in range(MANY):
            scores = model.score_candidates(*query, model.sample(every))
            losses.append(scores.logsumexp(1)[batch.row].sum())
            raised.append(scores.exp())
        # The mean of the answers' scores is known.
        true = model.score_candidates(*query, nodes.mean)
        true = true[batch.row, batch.answer].sum()
    losses = torch.stack(losses) - true
    assert bound > losses.mean() + 3 * losses.std() / MANY**0.5
    # Jensen's inequality is the whole difference: with the mean of the
    # exponentials in place of their values, the bound is met.
    total = torch.stack(raised).mean(0).sum(1).log()[batch.row]
    torch.testing.assert_close(bound, total.sum() - true, rtol=0.02, atol=0)


def test_sampled_candidates_without_noise_stand_for_all():
    batch = triples(10)
    losses = []
    for objective in (KvsAll(), SampledSoftmax(num_negatives=100_000)):
        model = make(objective=objective, noise="none", kl_weight=0.0)
        losses.append(model.loss(*batch))
    torch.testing.assert_close(losses[1], losses[0], rtol=5e-3, atol=0)


@pytest.mark.parametrize("objective", [KvsAll(), OneNegative()], ids=str)
def test_a_deterministic_model_has_no_noise(objective):
    losses = [
        make(objective=objective, noise=noise, variational=False).loss(
            *triples()
        )
        for noise in ("coordinate", "score", "none")
    ]
    assert losses[0] == losses[1] == losses[2]


def test_normal_numbers_are_few(monkeypatch):
    model = make(objective=OneNegative(), noise="score")
    sizes, normal = [], model._normal
    monkeypatch.setattr(
        model,
        "_normal",
        lambda shape: sizes.append(torch.Size(shape).numel()) or normal(shape),
    )
    model.loss(*triples())
    assert sum(sizes) == 40 * (4 + 2)
    sizes.clear()
    model = make(objective=OneNegative(), noise="coordinate")
    model.generator = torch.Generator().manual_seed(0)
    before = model.generator.get_state()
    model.loss(*triples())
    after = model.generator.get_state()
    model.generator.set_state(before)
    torch.randint(N, (40,), generator=model.generator)
    torch.randn(3 * 40, 4, generator=model.generator)
    assert torch.equal(model.generator.get_state(), after)


@pytest.mark.parametrize("kind", [GaussianTransE, GaussianRotatE, KG2E])
@pytest.mark.parametrize("noise", ["score", "none"])
def test_other_models_draw_coordinates(kind, noise):
    with pytest.raises(InvalidInputError, match="'noise' must be 'coordinate'"):
        kind(N, R, 4, noise=noise)


def test_a_bound_needs_a_softmax():
    for objective in (OneNegative(), SelfAdversarial()):
        with pytest.raises(InvalidInputError, match="no closed bound"):
            make(objective=objective, noise="none")
    with pytest.raises(InvalidInputError, match="'noise' must be one of"):
        make(noise="scores")
