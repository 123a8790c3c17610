"""Spectral normalisation and random features."""

import pytest
import torch

from pyg_cagp.nn.spectral import (
    RandomFeatures,
    SpectralBound,
    SpectralResidual,
)


def test_bound_equals_that_of_singular_values():
    generator = torch.Generator().manual_seed(0)
    for scale in (0.01, 3.0):
        weight = scale * torch.randn((7, 5), generator=generator)
        got = SpectralBound(weight, 0.95)(weight)
        sigma = torch.linalg.svdvals(weight)[0]
        want = weight * min(1.0, 0.95 / float(sigma))
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-5)


def test_bound_follows_the_weight_in_training():
    layers = SpectralResidual(6, 1)
    raw = layers.layers[0].parametrizations.weight.original
    with torch.no_grad():
        raw.copy_(torch.randn(6, 6) * 4)
    layers.train()
    for _ in range(50):
        layers(torch.randn(3, 6))
    layers.eval()
    bound = layers.layers[0].parametrizations.weight[0]
    before = bound.u.clone()
    sigma = torch.linalg.svdvals(layers.layers[0].weight.detach())[0]
    assert float(sigma) == pytest.approx(0.95, abs=0.01)
    layers(torch.randn(3, 6))
    assert torch.equal(before, bound.u)  # Evaluation changes nothing.


def test_distances_are_bounded_from_both_sides():
    torch.manual_seed(0)
    layers = SpectralResidual(8, 2).eval()
    x, y = torch.randn((2, 500, 8))
    before = (x - y).norm(dim=1)
    after = (layers(x) - layers(y)).norm(dim=1)
    assert bool((after >= (1 - 0.95) ** 2 * before - 1e-5).all())
    assert bool((after <= (1 + 0.95) ** 2 * before + 1e-5).all())


def test_features_approximate_the_radial_kernel():
    process = RandomFeatures(6, num_features=40_000, length_scale=1.5)
    torch.manual_seed(0)
    x = torch.randn(5, 6)
    phi = process.features(x)
    normed = process.norm(x)
    want = torch.exp(-torch.cdist(normed, normed).square() / (2 * 1.5**2))
    torch.testing.assert_close(phi @ phi.t(), want, atol=0.03, rtol=0)
