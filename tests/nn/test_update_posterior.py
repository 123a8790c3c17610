"""New triples against a posterior of all triples at once."""

import pytest
import torch

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import KG2E, GaussianDistMult
from pyg_cagp.nn.posterior import LaplacePosterior, ggn_diagonal
from tests.nn.test_laplace import D, N, R, make

PRIOR = 0.5
# Entities 0 to 3 are known; 4 appears, and 5 does not.
OLD = (
    torch.tensor([0, 1, 2, 3, 0, 2]),
    torch.tensor([0, 1, 0, 1, 1, 0]),
    torch.tensor([1, 2, 3, 0, 0, 1]),
)
NEW = torch.tensor([0, 4, 1]), torch.tensor([1, 0, 0]), torch.tensor([4, 1, 1])
ALL = tuple(torch.cat(parts) for parts in zip(OLD, NEW, strict=True))


def fitted(model, structure="isotropic"):
    return LaplacePosterior(PRIOR, structure=structure).fit(model, *OLD)


@pytest.mark.parametrize("structure", ["isotropic", "diagonal"])
@pytest.mark.parametrize("name", ["distmult", "complex-reciprocal", "rotate"])
def test_update_is_a_posterior_of_all_triples(name, structure):
    model = make(name)
    before = fitted(model, structure)
    variance, key = before.variance(), before.key
    after = before.update(model, *NEW)
    whole = LaplacePosterior(PRIOR, structure=structure).fit(model, *ALL)
    # Entity 4 was a mere candidate of the old triples.
    torch.testing.assert_close(after.variance()[:4], whole.variance()[:4])
    assert bool((after.variance()[:2] < variance[:2]).all())
    assert torch.equal(after.frequency, whole.frequency)
    assert after.prior_variance == PRIOR
    # The posterior of before stays as it was.
    assert torch.equal(before.variance(), variance)
    assert before.key == key != after.key


def test_one_variance_an_entity_in_training():
    torch.manual_seed(0)
    ball = GaussianDistMult(N, R, D, covariance="spherical")
    torch.nn.init.normal_(ball.node_emb.weight)
    ball.observe(OLD[0], OLD[2])
    got = ball.posterior.update(ball, *NEW).variance()
    curvature = ggn_diagonal(ball, *NEW).mean(1, keepdim=True)
    expected = 1 / (1 / ball.posterior.variance() + curvature)
    torch.testing.assert_close(got[:5], expected[:5].detach())


@pytest.mark.parametrize("structure", ["isotropic", "diagonal"])
def test_an_entity_that_appears_and_one_that_does_not(structure):
    model = make("distmult")
    before = fitted(model, structure)
    prior = torch.full_like(before.variance()[4:], PRIOR)
    torch.testing.assert_close(before.variance()[4:], prior)
    after = before.update(model, *NEW)
    # Variances of new entities start from the prior.
    curvature = ggn_diagonal(model, *NEW)[4]
    if structure == "isotropic":
        curvature = curvature.mean(0, keepdim=True)
    appeared, unseen = after.variance()[4:]
    torch.testing.assert_close(appeared, 1 / (1 / PRIOR + curvature))
    assert bool((appeared < 0.99 * PRIOR).all())
    torch.testing.assert_close(unseen, prior[1])
    one = torch.tensor([5]), torch.tensor([0]), torch.tensor([0])
    assert bool((after.update(model, *one).variance()[5] < 0.99 * PRIOR).all())


def test_parts_add_up_to_the_whole():
    model = make("distmult")
    at_once = fitted(model).update(model, *OLD)
    one_by_one = fitted(model)
    for edge in range(len(OLD[0])):
        part = (values[edge : edge + 1] for values in OLD)
        one_by_one = one_by_one.update(model, *part)
    torch.testing.assert_close(one_by_one.variance(), at_once.variance())


def test_slots_are_counted():
    model = make("distmult")
    posterior = fitted(model)
    assert posterior.frequency.tolist() == [4, 3, 3, 2, 0, 0]
    posterior = posterior.update(model, *NEW)
    assert posterior.frequency.tolist() == [5, 6, 3, 2, 2, 0]
    assert not model.node_freq.any()


def test_sampled_candidates_follow_the_seed():
    model = make("distmult")
    posterior = fitted(model)
    found = [
        posterior.update(model, *NEW, num_negatives=2, seed=seed).key
        for seed in (0, 0, 1)
    ]
    assert found[0] == found[1] != found[2]


def test_models_whose_scores_hold_variances_are_refused():
    model = KG2E(N, R, D)
    with pytest.raises(InvalidInputError, match="KG2E has no Laplace"):
        model.posterior.update(model, *NEW)
