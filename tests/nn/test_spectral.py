"""Layers that keep distances, and the process on top of them."""

import pytest
import torch

from pyg_cagp.nn.spectral import (
    RandomFeatures,
    SpectralBound,
    SpectralResidual,
)


def test_the_bound_is_that_of_singular_values():
    generator = torch.Generator().manual_seed(0)
    for scale in (0.01, 3.0):
        weight = scale * torch.randn((7, 5), generator=generator)
        got = SpectralBound(weight, 0.95)(weight)
        sigma = torch.linalg.svdvals(weight)[0]
        want = weight * min(1.0, 0.95 / float(sigma))
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-5)


def test_the_bound_follows_a_weight_in_training():
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
    sigma = torch.linalg.svdvals(layers.layers[0].weight)[0]
    assert float(sigma) == pytest.approx(0.95, abs=0.01)
    layers(torch.randn(3, 6))
    assert torch.equal(before, bound.u)  # Evaluation changes nothing.


def test_no_two_inputs_meet():
    torch.manual_seed(0)
    layers = SpectralResidual(8, 2).eval()
    x, y = torch.randn((2, 500, 8))
    apart = (x - y).norm(dim=1)
    after = (layers(x) - layers(y)).norm(dim=1)
    assert bool((after >= (1 - 0.95) ** 2 * apart - 1e-5).all())
    assert bool((after <= (1 + 0.95) ** 2 * apart + 1e-5).all())


def test_features_are_those_of_a_radial_kernel():
    process = RandomFeatures(6, num_features=40_000, length_scale=1.5)
    torch.manual_seed(0)
    x = torch.randn(5, 6)
    phi = process.features(x)
    normed = process.norm(x)
    want = torch.exp(-torch.cdist(normed, normed).square() / (2 * 1.5**2))
    torch.testing.assert_close(phi @ phi.t(), want, atol=0.03, rtol=0)
