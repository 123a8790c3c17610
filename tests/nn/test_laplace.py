"""Laplace posteriors against derivatives by autograd."""

import math

import pytest
import torch
import torch.nn.functional as F
from scipy.stats import spearmanr

from pyg_cagp.data import triples as triples_of
from pyg_cagp.datasets import SyntheticKG
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
from tests.loops import for_each

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


@for_each("name", MODELS)
def test_curvature_equals_the_gauss_newton_diagonal(name, triples):
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


def test_curvature_equals_the_hessian_diagonal(triples):
    """Scores of DistMult are linear in each entity except for s(e, r, e)."""
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
    quadratic = torch.zeros_like(nodes)
    for scores, given, r, answer in queries(model, *triples):
        p = scores(nodes).softmax(0).detach()
        quadratic[given] += (p[given] - (answer == given).double()) * 2 * rel[r]
    got = ggn_diagonal(model, *triples)
    torch.testing.assert_close(got, (diagonal - quadratic).detach())


def test_mean_curvature_is_twice_the_gradient_by_the_variance(triples):
    """Price's theorem: the gradient of an expected loss by a variance is
    half the expected second derivative.
    """
    model = make("distmult")
    torch.nn.init.constant_(model.node_log_var.weight, math.log(0.3))
    loops = triples[0] == triples[2]  # Their scores are quadratic; see above.
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
    loss, quadratic = 0.0, torch.zeros_like(mean)
    for h, r, t in zip(*triples, strict=True):
        for given, answer in ((h, t), (t, h)):
            query = nodes[:, given] * rel[r]
            scores = torch.einsum("bd,bnd->bn", query, nodes)
            loss = loss - scores.log_softmax(1)[:, answer].mean()
            p = scores.softmax(1)[:, given].mean()
            quadratic[given] += (p * 2 * rel[r]).detach()
    (slope,) = torch.autograd.grad(loss, variance)
    torch.testing.assert_close(got, 2 * slope - quadratic, rtol=0.05, atol=0.1)
    without_draws = ggn_diagonal(model, *triples)
    assert ((got - without_draws).abs() > 0.5).any()


def test_draws_use_the_variances_of_the_model(triples):
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
    with pytest.raises(InvalidInputError, match="'num_draws'"):
        LaplacePosterior(0.1, num_draws=2).fit(model, *triples)
    plain = GaussianDistMult(N, R, D, variational=False)
    with pytest.raises(InvalidInputError, match="'num_draws'"):
        ggn_diagonal(plain, *triples, num_draws=2)


@for_each("name", ["distmult", "complex", "rotate"])
def test_sampled_candidates_are_unbiased(name, triples):
    torch.manual_seed(0)
    model = MODELS[name](200, R, D).double()
    torch.nn.init.normal_(model.node_emb.weight, std=0.5)
    exact = ggn_diagonal(model, *triples)
    generator = torch.Generator().manual_seed(0)
    # Each chunk of two queries samples its own candidates.
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
    # Other entities are drawn seldom, so only their sum is compared.
    rest = slice(5, None)
    torch.testing.assert_close(
        got[rest].sum(), exact[rest].sum(), rtol=0.05, atol=0
    )
    same = ggn_diagonal(model, *triples, num_negatives=200)
    assert torch.equal(same, exact)


@for_each("structure", ["diagonal", "isotropic"])
def test_precision_is_prior_plus_curvature(triples, structure):
    model = make("distmult")
    before = model(*triples)
    posterior = LaplacePosterior(0.5, structure=structure).fit(model, *triples)
    curvature = ggn_diagonal(model, *triples)
    if structure == "isotropic":
        curvature = curvature.mean(1, keepdim=True)
    expected = 1 / (2 + curvature)
    expected[N - 1] = 0.5  # It occurs in no triple.
    torch.testing.assert_close(posterior.variance(), expected)
    assert (posterior.variance()[: N - 1] < 0.5).all()
    model.set_posterior(posterior)
    got = model.variance(torch.arange(N))
    torch.testing.assert_close(got, expected.expand(N, D))
    assert posterior.prior_variance == 0.5
    assert torch.equal(before, model(*triples))


@for_each("structure", ["diagonal", "isotropic"])
def test_marginal_likelihood_is_stationary(triples, structure):
    """MacKay's fixed point, by the number of well-determined parameters."""
    model = make("complex")
    posterior = LaplacePosterior(structure=structure).fit(model, *triples)
    observed = posterior.frequency > 0
    mean = model.node_emb.weight[observed].detach()
    share = posterior.variance()[observed] / posterior.prior_variance
    determined = (1 - share).expand_as(mean).sum()
    expected = mean.square().sum() / determined
    assert math.isclose(posterior.prior_variance, expected, rel_tol=0.02)


def test_validation_prior_maximizes_the_likelihood_of_validation(triples):
    model = make("distmult")
    held_out = tuple(part[:5] for part in triples)
    laplace = LaplacePosterior("validation")
    best = laplace.fit(model, *triples, val=held_out).prior_variance

    def cost(prior):
        """The same likelihood, by other and more draws."""
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
    with pytest.raises(InvalidInputError, match="validation"):
        LaplacePosterior("validation").fit(model, *triples)


def test_variational_posterior_copies_the_variances(triples):
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
    with pytest.raises(InvalidInputError, match="LaplacePosterior"):
        VariationalPosterior().fit(point, *triples)


def test_isotropic_has_the_least_kl_to_the_full_posterior(triples):
    """Of all N(mean, s I), by the KL divergence."""
    model = make("distmult")
    laplace = LaplacePosterior(0.5).fit(model, *triples)
    precision = 2 + ggn_diagonal(model, *triples)[0]
    best = laplace.variance()[0, 0]
    grid = best * torch.linspace(0.5, 2, 301, dtype=torch.double)
    # KL(N(m, s I) || N(m, P^-1)) depends on P by its diagonal and volume only.
    cost = grid[:, None] * precision - grid[:, None].log()
    assert torch.isclose(grid[cost.sum(1).argmin()], best, rtol=0.01)


def test_prior_of_the_model_can_be_used(triples):
    model = GaussianDistMult(N, R, D, prior_variance=0.7)
    laplace = LaplacePosterior("model").fit(model, *triples)
    assert math.isclose(laplace.prior_variance, 0.7, rel_tol=1e-6)


def test_a_posterior_leaves_scores_as_they_are(triples):
    """Even the scores of KG2E, which depend on variances."""
    model = KG2E(N, R, D)
    torch.nn.init.uniform_(model.node_log_var.weight, -2, 1)
    every = torch.arange(N)
    before = model(every, every * 0, every.flip(0))
    model.set_posterior(VariationalPosterior().fit(model, *triples))
    assert torch.equal(model(every, every * 0, every.flip(0)), before)
    got = model.mean_variance(every)[N - 1]
    torch.testing.assert_close(got, model.prior.variance)


def test_bad_input_raises(triples):
    none = tuple(torch.empty(3, 0, dtype=torch.long))
    with pytest.raises(InvalidInputError, match="validation"):
        LaplacePosterior("validation").fit(make("distmult"), *triples, val=none)
    wild = make("distmult")
    torch.nn.init.constant_(wild.node_emb.weight, math.nan)
    with pytest.raises(DivergenceError, match="prior"):
        LaplacePosterior().fit(wild, *triples)
    with pytest.raises(InvalidInputError, match="'structure'"):
        LaplacePosterior(structure="full")
    with pytest.raises(InvalidInputError, match="'structure'"):
        ggn_diagonal(make("distmult"), *triples, structure="full")
    with pytest.raises(InvalidInputError, match="'prior'"):
        LaplacePosterior("flat")
    with pytest.raises(InvalidInputError, match="'prior'"):
        LaplacePosterior(0.0)
    with pytest.raises(InvalidInputError, match="'num_negatives'"):
        LaplacePosterior(num_negatives=0)
    with pytest.raises(InvalidInputError, match="'num_draws'"):
        LaplacePosterior(num_draws=-1)
    with pytest.raises(InvalidInputError, match="KG2E"):
        LaplacePosterior().fit(KG2E(N, R, D), *triples)


def test_variance_falls_with_frequency():
    kg = SyntheticKG(num_nodes=600, num_relations=20, num_triples=8000)[0]
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
