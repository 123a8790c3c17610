"""Radial flows: densities, gradients and training."""

import torch

from pyg_cagp.nn.radial_flow import RadialFlows


def random_flows(num_classes, channels, num_layers, seed=0):
    torch.manual_seed(seed)
    flows = RadialFlows(num_classes, channels, num_layers).double()
    for parameter in flows.parameters():
        torch.nn.init.normal_(parameter)
    return flows


@torch.no_grad()
def test_densities_integrate_to_one():
    grid = torch.linspace(-12, 12, 801, dtype=torch.double)
    plane = torch.cartesian_prod(grid, grid)
    density = random_flows(3, 2, 4)(plane).exp()
    total = density.sum(0) * (grid[1] - grid[0]) ** 2
    torch.testing.assert_close(
        total, torch.ones(3).double(), rtol=0.01, atol=0.01
    )


def test_initial_density_is_nearly_normal():
    flows = RadialFlows(2, 3)
    z = torch.randn(50, 3)
    want = torch.distributions.Normal(0, 1).log_prob(z).sum(1)
    for column in flows(z).detach().t():
        assert float((column - want).abs().max()) < 0.6


def test_gradients_are_finite_at_the_centre():
    flows = random_flows(1, 3, 1)
    z = flows.centre[0].detach().clone()
    flows(z).sum().backward()
    assert all(bool(p.grad.isfinite().all()) for p in flows.parameters())


def test_training_raises_the_density_at_the_data():
    torch.manual_seed(0)
    flows = RadialFlows(2, 2, 6)
    points = torch.randn(400, 2) * 0.3 + torch.tensor([2.0, 0.0])
    optimizer = torch.optim.Adam(flows.parameters(), lr=0.05)
    for _ in range(150):
        optimizer.zero_grad()
        loss = -flows(points)[:, 0].mean()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        near, far = flows(torch.tensor([[2.0, 0.0], [-2.0, 0.0]]))[:, 0]
    assert float(near - far) > 5
