"""New triples against a posterior of all triples at once."""

import pytest
import torch

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import KG2E, GaussianDistMult
from pyg_cagp.nn.posterior import (
    LaplacePosterior,
    ggn_diagonal,
    update_posterior,
)
from tests.nn.test_laplace import D, N, R, make

PRIOR = 0.5
# Entities 0 to 3 are known; 4 appears, and 5 does not.
OLD = torch.tensor([[0, 1, 2, 3, 0, 2], [1, 2, 3, 0, 0, 1]])
OLD_TYPE = torch.tensor([0, 1, 0, 1, 1, 0])
NEW = torch.tensor([[0, 4, 1], [4, 1, 1]])
NEW_TYPE = torch.tensor([1, 0, 0])
ALL = torch.cat([OLD, NEW], dim=1), torch.cat([OLD_TYPE, NEW_TYPE])


def fitted(model, structure="isotropic"):
    posterior = LaplacePosterior(PRIOR, structure)
    return posterior.fit(model, OLD, OLD_TYPE).apply_to(model)


def variances(model):
    return model.variance(torch.arange(N)).detach()


@pytest.mark.parametrize("structure", ["isotropic", "diagonal"])
@pytest.mark.parametrize("name", ["distmult", "complex-reciprocal", "rotate"])
def test_update_is_a_posterior_of_all_triples(name, structure):
    model = fitted(make(name), structure)
    before, means = variances(model), model.node_emb.weight.clone()
    update_posterior(model, NEW, NEW_TYPE)
    want = LaplacePosterior(PRIOR, structure).fit(make(name), *ALL).variance_
    got = variances(model)
    torch.testing.assert_close(got[:4], want[:4])
    assert bool((got[:2] < before[:2]).all())
    assert torch.equal(model.node_emb.weight, means)


def test_one_variance_an_entity():
    torch.manual_seed(0)
    ball = GaussianDistMult(N, R, D, covariance="spherical")
    torch.nn.init.normal_(ball.node_emb.weight)
    update_posterior(fitted(ball), NEW, NEW_TYPE)
    want = LaplacePosterior(PRIOR).fit(ball, *ALL).variance_
    assert ball.node_log_var.weight.shape == (N, 1)
    torch.testing.assert_close(variances(ball)[:4], want[:4])


@pytest.mark.parametrize("structure", ["isotropic", "diagonal"])
def test_an_entity_that_appears_and_one_that_does_not(structure):
    model = fitted(make("distmult"), structure)
    prior = torch.full((2, D), PRIOR, dtype=torch.double)
    torch.testing.assert_close(variances(model)[4:], prior)
    update_posterior(model, NEW, NEW_TYPE)
    # What only now gets a triple starts from the prior.
    curvature = ggn_diagonal(model, NEW, NEW_TYPE)[4]
    if structure == "isotropic":
        curvature[:] = curvature.mean()
    appeared, unseen = variances(model)[4:]
    torch.testing.assert_close(appeared, 1 / (1 / PRIOR + curvature))
    assert bool((appeared < 0.99 * PRIOR).all())
    torch.testing.assert_close(unseen, prior[1])
    update_posterior(model, torch.tensor([[5], [0]]), torch.tensor([0]))
    assert bool((variances(model)[5] < 0.99 * PRIOR).all())


def test_parts_add_up_to_the_whole():
    at_once, one_by_one = (fitted(make("distmult")) for _ in range(2))
    update_posterior(at_once, OLD, OLD_TYPE)
    for edge in range(OLD.size(1)):
        part = slice(edge, edge + 1)
        update_posterior(one_by_one, OLD[:, part], OLD_TYPE[part])
    torch.testing.assert_close(variances(one_by_one), variances(at_once))


def test_slots_are_counted():
    model = fitted(make("distmult"))
    assert model.node_freq.tolist() == [4, 3, 3, 2, 0, 0]
    update_posterior(model, NEW, NEW_TYPE)
    assert model.node_freq.tolist() == [5, 6, 3, 2, 2, 0]


def test_sampled_candidates_are_told_by_the_seed():
    found = []
    for seed in (0, 0, 1):
        model = fitted(make("distmult"))
        update_posterior(model, NEW, NEW_TYPE, num_negatives=2, seed=seed)
        found.append(variances(model))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_scores_made_of_variances_are_not_touched():
    model = KG2E(N, R, D)
    before = variances(model)
    with pytest.raises(InvalidInputError, match="KG2E has no Laplace"):
        update_posterior(model, NEW, NEW_TYPE)
    assert torch.equal(variances(model), before)
    assert not model.node_freq.any()
