"""Posteriors as objects: moments, exchange and state."""

import copy
from itertools import product

import pytest
import torch

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import (
    GaussianComplEx,
    GaussianDistMult,
    GaussianTransE,
)
from pyg_cagp.nn.posterior import (
    LaplacePosterior,
    Posterior,
    VariationalPosterior,
)
from tests.loops import for_each

N, R, D = 7, 2, 3
EVERY = torch.arange(N)
FITTERS = {
    "isotropic": LaplacePosterior(0.5),
    "diagonal": LaplacePosterior(0.5, structure="diagonal"),
    "drawn": LaplacePosterior(num_draws=2),
    "variational": VariationalPosterior(),
}


def make(kind=GaussianDistMult, **options):
    torch.manual_seed(0)
    model = kind(N, R, D, **options)
    torch.nn.init.normal_(model.node_emb.weight)
    if model.variational:
        torch.nn.init.uniform_(model.node_log_var.weight, -3, -1)
    model.observe(*triples()[::2])
    return model


def triples():
    generator = torch.Generator().manual_seed(1)
    head, tail = torch.randint(N - 1, (2, 20), generator=generator)
    return head, torch.randint(R, (20,), generator=generator), tail


@for_each("fitter", FITTERS.values())
def test_fit_and_set_posterior_change_no_weights(fitter):
    model = make()
    before = copy.deepcopy(model.state_dict())
    posterior = fitter.fit(model, *triples())
    assert model.posterior is model.trained_posterior
    model.set_posterior(posterior)
    assert model.posterior is posterior
    after = model.state_dict()
    assert list(after) == list(before)
    for name, tensor in before.items():
        assert torch.equal(after[name], tensor), name
    assert model.variational


@for_each(
    ("kind", "fitter"),
    product([GaussianDistMult, GaussianComplEx], FITTERS.values()),
)
def test_set_posterior_changes_variances_but_not_training(kind, fitter):
    model, batch = make(kind), triples()
    first = model.score_variance(*batch)
    score, loss = model(*batch), model.kl_divergence(EVERY)
    variance = 4 * model.variance(EVERY)
    freq = torch.ones(N, dtype=torch.long)
    model.set_posterior(Posterior(model.node_emb, variance.log(), 1.0, freq))
    torch.testing.assert_close(model.variance(EVERY), variance)
    torch.testing.assert_close(model.mean_variance(EVERY), variance.mean(1))
    assert bool((model.score_variance(*batch) > 3 * first).all())
    assert torch.equal(model(*batch), score)
    assert torch.equal(model.kl_divergence(EVERY), loss)
    model.set_posterior(None)
    assert torch.equal(model.score_variance(*batch), first)


@for_each("kind", [GaussianDistMult, GaussianComplEx, GaussianTransE])
def test_isotropic_variances_are_stored_once_an_entity(kind):
    model = make(kind)
    narrow = LaplacePosterior(0.5).fit(model, *triples())
    assert [x.numel() for x in narrow.buffers()] == [N, N, N]
    wide = Posterior(
        model.node_emb,
        narrow.log_variance.expand_as(model.node_emb.weight),
        narrow.prior_variance,
        narrow.frequency,
    )
    results = []
    for posterior in (narrow, wide):
        model.set_posterior(posterior)
        results.append(
            (model.score_variance(*triples()), model.variance(EVERY))
        )
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other)


@for_each("fitter", FITTERS.values())
def test_mean_variance_is_the_mean_of_variances(fitter):
    posterior = fitter.fit(make(), *triples())
    entity = torch.tensor([[0, 3], [6, 6]])
    expected = posterior.variance(entity).mean(-1)
    torch.testing.assert_close(posterior.mean_variance(entity), expected)
    assert torch.equal(posterior.variance()[entity], posterior.variance(entity))


@for_each("fitter", FITTERS.values())
def test_unseen_entities_have_the_prior_variance(fitter):
    posterior = fitter.fit(make(), *triples())
    variance = posterior.variance()[N - 1]
    expected = torch.full_like(variance, posterior.prior_variance)
    torch.testing.assert_close(variance, expected)


@for_each(("fitter", "trained"), product(FITTERS.values(), [False, True]))
def test_draws_have_the_mean_and_the_variance(fitter, trained):
    model = make()
    posterior = fitter.fit(model, *triples())
    if trained:
        posterior = model.posterior
    num = 100_000
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        draws = posterior.rsample(EVERY.repeat(num, 1), generator=generator)
        variance = posterior.variance(EVERY).expand(N, D)
    error = 5 * (variance / num).sqrt()
    assert bool(((draws.mean(0) - model.node_emb.weight).abs() < error).all())
    torch.testing.assert_close(draws.var(0), variance, rtol=0.03, atol=0)


def test_draws_have_gradients_of_means_and_variances():
    model = make()
    model.sample(EVERY[:3]).sum().backward()
    assert torch.equal(model.node_emb.weight.grad[:3], torch.ones(3, D))
    assert bool((model.node_log_var.weight.grad[:3] != 0).all())


def test_trained_posterior_follows_writes_to_data():
    """Writes to `.data` do not raise a tensor's version."""
    model = make()
    model.mean_variance(EVERY)
    model.node_log_var.weight.data.fill_(0.0)
    assert bool((model.mean_variance(EVERY)[: N - 1] == 1).all())


def test_key_depends_on_the_content():
    model = make()
    first, again = (FITTERS["isotropic"].fit(model, *triples()) for _ in "ab")
    assert first is not again
    assert first.key == again.key
    assert FITTERS["diagonal"].fit(model, *triples()).key != first.key
    other = LaplacePosterior(0.6).fit(model, *triples())
    assert other.key != first.key
    before = model.posterior.key
    model.node_log_var.weight.data += 1
    assert model.posterior.key != before


@for_each("fitter", FITTERS.values())
def test_posterior_is_moved_and_copied_with_the_model(fitter):
    model = make()
    model.set_posterior(fitter.fit(model, *triples()))
    clone = copy.deepcopy(model).double()
    assert clone.posterior.variance().dtype == torch.double
    torch.testing.assert_close(
        clone.mean_variance(EVERY), model.mean_variance(EVERY).double()
    )
    torch.nn.init.zeros_(clone.node_emb.weight)
    assert not clone.posterior.mean(EVERY).any()
    assert model.posterior.mean(EVERY).all()


@for_each("fitter", FITTERS.values())
def test_state_dict_round_trip(fitter):
    model = make()
    posterior = fitter.fit(model, *triples())
    other = Posterior(
        model.node_emb,
        torch.zeros_like(posterior.log_variance),
        1.0,
        torch.zeros_like(posterior.frequency),
    )
    other.load_state_dict(posterior.state_dict())
    assert other.key == posterior.key
    assert other.prior_variance == posterior.prior_variance
    assert torch.equal(
        other.mean_variance(EVERY), posterior.mean_variance(EVERY)
    )


@for_each("fitter", FITTERS.values())
def test_a_posterior_of_another_model_raises(fitter):
    model = make()
    posterior = fitter.fit(model, *triples())
    make().set_posterior(posterior)  # The same means.
    with pytest.raises(InvalidInputError, match="Posterior"):
        model.set_posterior(fitter)
    other = make()
    torch.nn.init.normal_(other.node_emb.weight)
    with pytest.raises(InvalidInputError, match="other embeddings"):
        other.set_posterior(posterior)
    with pytest.raises(InvalidInputError, match="shape"):
        GaussianDistMult(N, R, D + 1).set_posterior(posterior)
    assert other.posterior is other.trained_posterior


@for_each(
    ("place", "wrong", "message"),
    [
        (0, torch.zeros(N, D - 1), "'log_variance'"),
        (0, torch.full((N, 1), -1000.0), "row 0 of 'log_variance'"),
        (1, 0.0, "'prior_variance'"),
        (2, torch.ones(N), "'frequency'"),
    ],
)
def test_bad_input_raises(place, wrong, message):
    parts = [torch.zeros(N, 1), 1.0, torch.ones(N, dtype=torch.long)]
    parts[place] = wrong
    with pytest.raises(InvalidInputError, match=message):
        Posterior(make().node_emb, *parts)
