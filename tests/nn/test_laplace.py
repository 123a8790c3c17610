"""Laplace posteriors against derivatives taken by autograd."""

import math

import pytest
import torch
import torch.nn.functional as F
from scipy.stats import spearmanr

from pyg_cagp.data import triples as triples_of
from pyg_cagp.datasets import load
from pyg_cagp.exceptions import DivergenceError, InvalidInputError
from pyg_cagp.nn.kge import (
    KG2E,
    GaussianComplEx,
    GaussianDistMult,
    GaussianRotatE,
    GaussianTransE,
)
from pyg_cagp.nn.posterior import (
    LaplacePosterior,
    VariationalPosterior,
    ggn_diagonal,
)

N, R, D = 6, 2, 3
MODELS = {
    "distmult": GaussianDistMult,
    "distmult-reciprocal": lambda *a: GaussianDistMult(*a, reciprocal=True),
    "complex": GaussianComplEx,
    "complex-reciprocal": lambda *a: GaussianComplEx(*a, reciprocal=True),
    "transe": GaussianTransE,
    "transe-l2": lambda *a: GaussianTransE(*a, p_norm=2),
    "rotate": GaussianRotatE,
}


@pytest.fixture
def triples():
    generator = torch.Generator().manual_seed(0)
    head, tail = torch.randint(N - 1, (2, 15), generator=generator)
    tail[0] = head[0]  # A self-loop; entity 5 is unseen.
    return head, torch.randint(R, (15,), generator=generator), tail


def make(name, num_nodes=N, num_relations=R):
    torch.manual_seed(1)
    model = MODELS[name](num_nodes, num_relations, D).double()
    torch.nn.init.normal_(model.node_emb.weight)
    torch.nn.init.normal_(model.rel_emb.weight)
    return model


def queries(model, head, rel, tail):
    """Each query as a function from all embeddings to all scores."""
    for h, r, t in zip(head, rel, tail, strict=True):
        for side, given, answer in (("tail", h, t), ("head", t, h)):

            def scores(nodes, side=side, given=given, r=r):
                return model.score_candidates(
                    side, nodes[given][None], r[None], nodes
                )[0]

            yield scores, given, r, answer


def brute_force(model, head, rel, tail):
    """The diagonal of the Gauss-Newton matrix, one query after another."""
    nodes = model.node_emb.weight.detach()
    expected = torch.zeros_like(nodes)
    for scores, *_ in queries(model, head, rel, tail):
        jacobian = torch.autograd.functional.jacobian(scores, nodes).flatten(1)
        p = scores(nodes).softmax(0).detach()
        inner = torch.diag(p) - p[:, None] * p
        ggn = (jacobian * (inner @ jacobian)).sum(0)
        expected += ggn.view_as(nodes).detach()
    return expected


@pytest.mark.parametrize("name", MODELS)
def test_curvature_is_the_gauss_newton_diagonal(name, triples):
    model = make(name)
    expected = brute_force(model, *triples)
    got = ggn_diagonal(model, *triples, max_scores=4 * N)
    torch.testing.assert_close(got, expected)
    got = ggn_diagonal(model, *triples, max_scores=4 * N, structure="isotropic")
    torch.testing.assert_close(got, expected.mean(1, keepdim=True))


@pytest.mark.parametrize("structure", ["isotropic", "diagonal"])
@pytest.mark.parametrize("name", ["distmult", "distmult-reciprocal", "complex"])
def test_curvature_of_frequent_and_rare_relations(name, structure):
    """A frequent relation has chunks of its own; rare ones share theirs."""
    num_nodes, place = 70, torch.arange(90)
    model = make(name, num_nodes, 4)
    head, tail = place % 69, (5 * place + 3) % 69
    rel = torch.where(place < 69, 0, place % 3 + 1)
    triples = head, rel, tail
    expected = brute_force(model, *triples)
    if structure == "isotropic":
        expected = expected.mean(1, keepdim=True)
    got = ggn_diagonal(
        model, *triples, max_scores=16 * num_nodes, structure=structure
    )
    torch.testing.assert_close(got, expected)


def test_curvature_is_the_hessian_diagonal(triples):
    """DistMult's scores are linear in each entity but for s(e, r, e)."""
    model = make("distmult")
    nodes, rel = model.node_emb.weight.detach(), model.rel_emb.weight.detach()

    def nll(nodes):
        return sum(
            F.cross_entropy(scores(nodes), answer)
            for scores, _, _, answer in queries(model, *triples)
        )

    size = nodes.numel()
    hessian = torch.autograd.functional.hessian(nll, nodes)
    diagonal = hessian.reshape(size, size).diagonal().view_as(nodes)
    bent = torch.zeros_like(nodes)
    for scores, given, r, answer in queries(model, *triples):
        p = scores(nodes).softmax(0).detach()
        bent[given] += (p[given] - (answer == given).double()) * 2 * rel[r]
    got = ggn_diagonal(model, *triples)
    torch.testing.assert_close(got, (diagonal - bent).detach())


def test_mean_curvature_is_what_the_variational_optimum_needs(triples):
    """The gradient of an expected loss by a variance is half the expected
    second derivative; here the left side is taken by autograd.
    """
    model = make("distmult")
    torch.nn.init.constant_(model.node_log_var.weight, math.log(0.3))
    loops = triples[0] == triples[2]  # Bent in themselves; see above.
    triples = [part[~loops] for part in triples]
    got = ggn_diagonal(
        model,
        *triples,
        generator=torch.Generator().manual_seed(0),
        num_draws=4000,
    )
    mean, rel = model.node_emb.weight.detach(), model.rel_emb.weight.detach()
    generator = torch.Generator().manual_seed(1)
    noise = torch.randn(20_000, N, D, generator=generator, dtype=torch.double)
    noise = torch.cat([noise, -noise])
    variance = torch.full((N, D), 0.3, dtype=torch.double, requires_grad=True)
    nodes = mean + variance.sqrt() * noise
    loss, bent = 0.0, torch.zeros_like(mean)
    for h, r, t in zip(*triples, strict=True):
        for given, answer in ((h, t), (t, h)):
            query = nodes[:, given] * rel[r]
            scores = torch.einsum("bd,bnd->bn", query, nodes)
            loss = loss - scores.log_softmax(1)[:, answer].mean()
            p = scores.softmax(1)[:, given].mean()
            bent[given] += (p * 2 * rel[r]).detach()
    (slope,) = torch.autograd.grad(loss, variance)
    torch.testing.assert_close(got, 2 * slope - bent, rtol=0.05, atol=0.1)
    still = ggn_diagonal(model, *triples)
    assert ((got - still).abs() > 0.5).any()


def test_draws_take_the_model_s_own_variances(triples):
    model = make("complex")
    torch.nn.init.constant_(model.node_log_var.weight, -80.0)
    generator = torch.Generator().manual_seed(0)
    got = ggn_diagonal(model, *triples, generator=generator, num_draws=3)
    torch.testing.assert_close(got, ggn_diagonal(model, *triples))
    model.kl_weight = 0.5
    curvature = [
        1 / laplace.fit(model, *triples).variance() - 10
        for laplace in (
            LaplacePosterior(0.1, num_draws=2),
            LaplacePosterior(0.1),
        )
    ]
    torch.testing.assert_close(curvature[0], 2 * curvature[1])
    model.kl_weight = 0.0
    with pytest.raises(InvalidInputError, match="'num_draws' needs a model"):
        LaplacePosterior(0.1, num_draws=2).fit(model, *triples)
    plain = GaussianDistMult(N, R, D, variational=False)
    with pytest.raises(InvalidInputError, match="'num_draws' needs a model"):
        ggn_diagonal(plain, *triples, num_draws=2)


@pytest.mark.parametrize("name", ["distmult", "complex", "rotate"])
def test_sampled_candidates_stand_for_all(name, triples):
    torch.manual_seed(0)
    model = MODELS[name](200, R, D).double()
    torch.nn.init.normal_(model.node_emb.weight, std=0.5)
    exact = ggn_diagonal(model, *triples)
    generator = torch.Generator().manual_seed(0)
    # A chunk of two queries has a pool of its own.
    draws = [
        ggn_diagonal(
            model,
            *triples,
            num_negatives=100,
            generator=generator,
            max_scores=200,
        )
        for _ in range(60)
    ]
    assert all((draw >= 0).all() for draw in draws)
    got = torch.stack(draws).mean(0)
    torch.testing.assert_close(got[:5], exact[:5], rtol=0.1, atol=0)
    rest = slice(5, None)  # Mere candidates: seldom drawn, so by their sum.
    torch.testing.assert_close(
        got[rest].sum(), exact[rest].sum(), rtol=0.05, atol=0
    )
    same = ggn_diagonal(model, *triples, num_negatives=200)
    assert torch.equal(same, exact)


@pytest.mark.parametrize("structure", ["diagonal", "isotropic"])
def test_precision_is_prior_plus_curvature(triples, structure):
    model = make("distmult")
    before = model(*triples)
    posterior = LaplacePosterior(0.5, structure=structure).fit(model, *triples)
    curvature = ggn_diagonal(model, *triples)
    if structure == "isotropic":
        curvature = curvature.mean(1, keepdim=True)
    expected = 1 / (2 + curvature)
    expected[N - 1] = 0.5  # No triple states anything about it.
    torch.testing.assert_close(posterior.variance(), expected)
    assert (posterior.variance()[: N - 1] < 0.5).all()
    model.set_posterior(posterior)
    got = model.variance(torch.arange(N))
    torch.testing.assert_close(got, expected.expand(N, D))
    assert posterior.prior_variance == 0.5
    assert torch.equal(before, model(*triples))


@pytest.mark.parametrize("structure", ["diagonal", "isotropic"])
def test_marginal_likelihood_is_stationary(triples, structure):
    """MacKay's fixed point: the number of well-determined parameters."""
    model = make("complex")
    posterior = LaplacePosterior(structure=structure).fit(model, *triples)
    seen = posterior.frequency > 0
    mean = model.node_emb.weight[seen].detach()
    share = posterior.variance()[seen] / posterior.prior_variance
    determined = (1 - share).expand_as(mean).sum()
    expected = mean.square().sum() / determined
    assert math.isclose(posterior.prior_variance, expected, rel_tol=0.02)


def test_validation_prior_makes_held_out_triples_likeliest(triples):
    model = make("distmult")
    held_out = tuple(part[:5] for part in triples)
    laplace = LaplacePosterior("validation")
    best = laplace.fit(model, *triples, val=held_out).prior_variance

    def cost(prior):
        """With other draws, and many of them."""
        generator = torch.Generator().manual_seed(7)
        variance = LaplacePosterior(prior).fit(model, *triples).variance()
        noise = torch.randn(
            4_000, N, D, generator=generator, dtype=torch.double
        )
        nodes = model.node_emb.weight.detach() + noise * variance.sqrt()
        prob = 0
        for scores, _, _, answer in queries(model, *held_out):
            drawn = torch.vmap(scores)(nodes).softmax(-1)[:, answer]
            prob = prob - drawn.mean().log()
        return float(prob.detach())

    assert cost(best) <= min(cost(best * 30), cost(best / 30))
    with pytest.raises(InvalidInputError, match="needs validation triples"):
        LaplacePosterior("validation").fit(model, *triples)


def test_variational_copies_the_model(triples):
    model = make("distmult")
    posterior = VariationalPosterior().fit(model, *triples)
    expected = model.node_log_var.weight.exp().detach()
    torch.testing.assert_close(posterior.variance()[: N - 1], expected[:-1])
    prior = model.prior.variance.expand(D)
    torch.testing.assert_close(posterior.variance()[N - 1], prior)
    assert posterior.frequency.sum() == 30
    torch.nn.init.zeros_(model.node_log_var.weight)
    torch.testing.assert_close(posterior.variance()[: N - 1], expected[:-1])
    point = GaussianDistMult(N, R, D, variational=False)
    point.set_posterior(LaplacePosterior().fit(point, *triples))
    with pytest.raises(InvalidInputError, match="use a LaplacePosterior"):
        VariationalPosterior().fit(point, *triples)


def test_isotropic_is_closest_to_the_full_one(triples):
    """Of all N(mean, s I), by KL from the precision's whole diagonal block."""
    model = make("distmult")
    laplace = LaplacePosterior(0.5).fit(model, *triples)
    precision = 2 + ggn_diagonal(model, *triples)[0]
    best = laplace.variance()[0, 0]
    grid = best * torch.linspace(0.5, 2, 301, dtype=torch.double)
    # KL(N(m, s I) || N(m, P^-1)) depends on P by its diagonal and volume only.
    cost = grid[:, None] * precision - grid[:, None].log()
    assert torch.isclose(grid[cost.sum(1).argmin()], best, rtol=0.01)


def test_prior_of_training_can_be_kept(triples):
    model = GaussianDistMult(N, R, D, prior_variance=0.7)
    laplace = LaplacePosterior("model").fit(model, *triples)
    assert math.isclose(laplace.prior_variance, 0.7, rel_tol=1e-6)


def test_scores_do_not_change(triples):
    """Not even those of KG2E, which are made of variances."""
    model = KG2E(N, R, D)
    torch.nn.init.uniform_(model.node_log_var.weight, -2, 1)
    every = torch.arange(N)
    before = model(every, every * 0, every.flip(0))
    model.set_posterior(VariationalPosterior().fit(model, *triples))
    assert torch.equal(model(every, every * 0, every.flip(0)), before)
    got = model.mean_variance(every)[N - 1]
    torch.testing.assert_close(got, model.prior.variance)


def test_bad_input(triples):
    none = tuple(torch.empty(3, 0, dtype=torch.long))
    with pytest.raises(InvalidInputError, match="needs validation triples"):
        LaplacePosterior("validation").fit(make("distmult"), *triples, val=none)
    wild = make("distmult")
    torch.nn.init.constant_(wild.node_emb.weight, math.nan)
    with pytest.raises(DivergenceError, match="no prior can be found"):
        LaplacePosterior().fit(wild, *triples)
    with pytest.raises(InvalidInputError, match="'structure' must be one of"):
        LaplacePosterior(structure="full")
    with pytest.raises(InvalidInputError, match="'structure' must be one of"):
        ggn_diagonal(make("distmult"), *triples, structure="full")
    with pytest.raises(InvalidInputError, match="'prior' must be one of"):
        LaplacePosterior("flat")
    with pytest.raises(InvalidInputError, match="'prior' must be positive"):
        LaplacePosterior(0.0)
    with pytest.raises(InvalidInputError, match="'num_negatives'"):
        LaplacePosterior(num_negatives=0)
    with pytest.raises(InvalidInputError, match="'num_draws'"):
        LaplacePosterior(num_draws=-1)
    with pytest.raises(InvalidInputError, match="KG2E has no Laplace"):
        LaplacePosterior().fit(KG2E(N, R, D), *triples)


def test_variance_falls_with_frequency():
    kg = load("synthetic")
    head, rel, tail = triples_of(kg, "train")
    torch.manual_seed(0)
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 16)
    loader = model.loader(head, rel, tail, batch_size=1024, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(5):
        for batch in loader:
            optimizer.zero_grad()
            model.loss(*batch).backward()
            optimizer.step()
    posterior = LaplacePosterior().fit(model, head, rel, tail)
    variance = posterior.mean_variance(torch.arange(kg.num_nodes))
    assert spearmanr(posterior.frequency, variance)[0] < -0.9
