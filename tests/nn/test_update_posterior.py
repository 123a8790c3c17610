"""Updates of posteriors against posteriors of all triples."""

from itertools import product

import pytest
import torch

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import KG2E, GaussianDistMult
from pyg_cagp.nn.posterior import LaplacePosterior, ggn_diagonal
from tests.loops import for_each
from tests.nn.test_laplace import D, N, R, make

PRIOR = 0.5
# Entities 0 to 3 are in OLD, 4 is in NEW, 5 is in neither.
OLD = (
    torch.tensor([0, 1, 2, 3, 0, 2]),
    torch.tensor([0, 1, 0, 1, 1, 0]),
    torch.tensor([1, 2, 3, 0, 0, 1]),
)
NEW = torch.tensor([0, 4, 1]), torch.tensor([1, 0, 0]), torch.tensor([4, 1, 1])
ALL = tuple(torch.cat(parts) for parts in zip(OLD, NEW, strict=True))


def fitted(model, structure="isotropic"):
    return LaplacePosterior(PRIOR, structure=structure).fit(model, *OLD)


@for_each(
    ("name", "structure"),
    product(
        ["distmult", "complex-reciprocal", "rotate"], ["isotropic", "diagonal"]
    ),
)
def test_update_equals_a_posterior_of_all_triples(name, structure):
    model = make(name)
    before = fitted(model, structure)
    variance, key = before.variance(), before.key
    after = before.update(model, *NEW)
    expected = LaplacePosterior(PRIOR, structure=structure).fit(model, *ALL)
    # Entity 4 was only a candidate of the old triples.
    torch.testing.assert_close(after.variance()[:4], expected.variance()[:4])
    assert bool((after.variance()[:2] < variance[:2]).all())
    assert torch.equal(after.frequency, expected.frequency)
    assert after.prior_variance == PRIOR
    # The first posterior is unchanged.
    assert torch.equal(before.variance(), variance)
    assert before.key == key != after.key


def test_update_of_spherical_variances():
    torch.manual_seed(0)
    model = GaussianDistMult(N, R, D, covariance="spherical")
    torch.nn.init.normal_(model.node_emb.weight)
    model.observe(OLD[0], OLD[2])
    got = model.posterior.update(model, *NEW).variance()
    curvature = ggn_diagonal(model, *NEW).mean(1, keepdim=True)
    expected = 1 / (1 / model.posterior.variance() + curvature)
    torch.testing.assert_close(got[:5], expected[:5].detach())


@for_each("structure", ["isotropic", "diagonal"])
def test_update_of_new_and_unseen_entities(structure):
    model = make("distmult")
    before = fitted(model, structure)
    prior = torch.full_like(before.variance()[4:], PRIOR)
    torch.testing.assert_close(before.variance()[4:], prior)
    after = before.update(model, *NEW)
    # Variances of new entities start from the prior.
    curvature = ggn_diagonal(model, *NEW)[4]
    if structure == "isotropic":
        curvature = curvature.mean(0, keepdim=True)
    new, unseen = after.variance()[4:]
    torch.testing.assert_close(new, 1 / (1 / PRIOR + curvature))
    assert bool((new < 0.99 * PRIOR).all())
    torch.testing.assert_close(unseen, prior[1])
    one = torch.tensor([5]), torch.tensor([0]), torch.tensor([0])
    assert bool((after.update(model, *one).variance()[5] < 0.99 * PRIOR).all())


def test_updates_by_one_triple_equal_one_update():
    model = make("distmult")
    at_once = fitted(model).update(model, *OLD)
    one_by_one = fitted(model)
    for edge in range(len(OLD[0])):
        part = (values[edge : edge + 1] for values in OLD)
        one_by_one = one_by_one.update(model, *part)
    torch.testing.assert_close(one_by_one.variance(), at_once.variance())


def test_update_counts_frequencies():
    model = make("distmult")
    posterior = fitted(model)
    assert posterior.frequency.tolist() == [4, 3, 3, 2, 0, 0]
    posterior = posterior.update(model, *NEW)
    assert posterior.frequency.tolist() == [5, 6, 3, 2, 2, 0]
    assert not model.node_freq.any()


def test_sampled_candidates_follow_the_seed():
    model = make("distmult")
    posterior = fitted(model)
    keys = [
        posterior.update(model, *NEW, num_negatives=2, seed=seed).key
        for seed in (0, 0, 1)
    ]
    assert keys[0] == keys[1] != keys[2]


def test_update_of_kg2e_raises():
    model = KG2E(N, R, D)
    with pytest.raises(InvalidInputError, match="KG2E"):
        model.posterior.update(model, *NEW)
