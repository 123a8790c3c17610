"""SNGP: variances by the distance from the training triples."""

import pytest
import torch

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import SNGPModel
from pyg_cagp.uncertainty.baselines import SNGP


@pytest.fixture(scope="module")
def sngp(world):
    model = SNGPModel(
        world.num_nodes,
        world.num_relations,
        hidden_channels=8,
        num_features=128,
    )
    return SNGP(model, epochs=6, lr=0.02).fit(world)


def test_variance_equals_that_of_a_bayesian_regression(sngp, world):
    """The covariance is symmetric and at most that of the prior."""
    eigen = torch.linalg.eigvalsh(sngp.covariance_.double())
    assert 0 < float(eigen.min()) < float(eigen.max()) <= 1 + 1e-4
    torch.testing.assert_close(
        sngp.covariance_, sngp.covariance_.t(), atol=1e-5, rtol=1e-3
    )
    some = world.edge_index[:, :50], world.edge_type[:50]
    triples = some[0][0], some[1], some[0][1]
    phi = sngp.model.features(*triples).double()
    want = torch.einsum("bi,ij,bj->b", phi, sngp.covariance_.double(), phi)
    torch.testing.assert_close(
        sngp(*triples).double(), want.detach(), rtol=1e-3, atol=1e-6
    )


def test_variance_grows_with_the_distance_from_the_data(sngp, world):
    some = world.train_mask.nonzero().view(-1)[:300]
    head, tail = world.edge_index[:, some]
    triples = head, world.edge_type[some], tail
    model = sngp.model
    with torch.no_grad():
        near = model._hidden(
            model.embed(triples[0]),
            model.embed_rel(triples[1]),
            model.embed(triples[2]),
        )
        means = []
        generator = torch.Generator().manual_seed(0)
        push = torch.randn(near.shape, generator=generator)
        for distance in (0.0, 1.0, 8.0):
            phi = model.process.features(near + distance * push)
            means.append(float(((phi @ sngp.covariance_) * phi).sum(1).mean()))
    assert means[0] < means[1] < means[2]
    # The prior is the upper bound.
    assert means[2] <= 2.0


def test_variance_moves_probabilities_towards_a_half(sngp, world):
    other = SNGP(sngp.model, measure="probability", epochs=6)
    other.covariance_, other.losses_ = sngp.covariance_, sngp.losses_
    head, tail = world.edge_index[:, :200]
    triples = head, world.edge_type[:200], tail
    with torch.no_grad():
        plain = sngp.model.confidence(*triples)
    confidence = 1 - other(*triples)
    assert bool(((confidence - 0.5).abs() <= (plain - 0.5).abs() + 1e-6).all())
    assert bool(((confidence > 0.5) == (plain > 0.5)).all())


def test_bad_options_raise(sngp):
    with pytest.raises(InvalidInputError, match="'measure'"):
        SNGP(sngp.model, measure="entropy")
