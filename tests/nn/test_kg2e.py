"""KG2E against PyTorch's distributions, and Monte Carlo."""

import math

import pytest
import torch
from torch.distributions import Normal, kl_divergence

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import KG2E
from tests.loops import for_each
from tests.nn.test_contract import N, R, triples


def make(score):
    torch.manual_seed(0)
    model = KG2E(N, R, 4, score=score).double()
    torch.nn.init.normal_(model.node_emb.weight)
    torch.nn.init.uniform_(model.node_log_var.weight, -1, 1)
    torch.nn.init.uniform_(model.rel_emb.weight, -1, 1)
    return model


def distributions(model, h, r, t):
    def normal(emb):
        mean, var = emb.detach().chunk(2, dim=-1)
        return Normal(mean, var.sqrt())

    return (
        normal(model.embed(h)),
        normal(model.embed_rel(r)),
        normal(model.embed(t)),
    )


def test_kl_equals_torch():
    model = make("kl")
    h, rel, t = distributions(model, *triples(9))
    pair = Normal(h.mean - t.mean, (h.variance + t.variance).sqrt())
    expected = -kl_divergence(pair, rel).sum(-1)
    torch.testing.assert_close(model(*triples(9)).detach(), expected)


def test_expected_likelihood_equals_the_density_of_a_sum():
    """The integral of the product of two Gaussians, in closed form."""
    model = make("el")
    h, rel, t = distributions(model, *triples(9))
    scale = (h.variance + t.variance + rel.variance).sqrt()
    expected = Normal(rel.mean, scale).log_prob(h.mean - t.mean).sum(-1)
    torch.testing.assert_close(model(*triples(9)).detach(), expected)


@for_each("score", ["kl", "el"])
def test_variance_equals_the_variance_of_energies_of_draws(score):
    model = make(score)
    head, rel_type, tail = triples(8)
    tail[:3] = head[:3]
    h, rel, t = distributions(model, head, rel_type, tail)
    torch.manual_seed(1)
    size = (200_000,)
    drawn_h = h.sample(size)
    drawn_t = torch.where((head == tail)[:, None], drawn_h, t.sample(size))
    if score == "kl":
        gap, scale = drawn_h - drawn_t - rel.mean, rel.variance
    else:
        gap = drawn_h - drawn_t - rel.sample(size)
        scale = h.variance + t.variance + rel.variance
    energy = 0.5 * (gap**2 / scale).sum(-1)
    got = model.score_variance(head, rel_type, tail).detach()
    torch.testing.assert_close(got, energy.var(0), rtol=0.05, atol=1e-12)


def test_constrain_keeps_means_and_variances_in_bounds():
    model = make("kl")
    torch.nn.init.normal_(model.rel_emb.weight, std=9)
    torch.nn.init.normal_(model.node_log_var.weight, std=9)
    model.constrain()
    rel, rel_log_var = model.rel_emb.weight.chunk(2, dim=-1)
    for mean in (model.node_emb.weight, rel):
        assert mean.norm(dim=-1).max() <= 1 + 1e-9
    for log_var in (model.node_log_var.weight, rel_log_var):
        assert log_var.min() >= math.log(0.05) - 1e-9
        assert log_var.max() <= math.log(5) + 1e-9


def test_bad_input_raises():
    with pytest.raises(InvalidInputError, match="'score'"):
        KG2E(N, R, 4, score="js")
    with pytest.raises(InvalidInputError, match="'variance_range'"):
        KG2E(N, R, 4, variance_range=(1.0, 0.5))
    with pytest.raises(InvalidInputError, match="'variational'"):
        KG2E(N, R, 4, variational=False)
