r"""Spectrally normalised layers, and features of a Gaussian process."""

import math

import torch
from torch import Tensor
from torch.nn import LayerNorm, Linear, Module, ModuleList, Parameter
from torch.nn.utils import parametrize


class SpectralBound(Module):
    r"""Bounds the largest singular value of a weight:
    :math:`W \cdot \min(1, c / \sigma)`. Each call in training makes one step of
    power iteration.
    """

    u: Tensor

    def __init__(self, weight: Tensor, bound: float = 0.95) -> None:
        super().__init__()
        self.bound = bound
        u = torch.ones(weight.size(0)) / math.sqrt(weight.size(0))
        self.register_buffer("u", u)
        # These steps make the bound hold before training.
        with torch.no_grad():
            for _ in range(30):
                self._step(weight)

    def _step(self, weight: Tensor) -> Tensor:
        v = torch.nn.functional.normalize(weight.t() @ self.u, dim=0)
        self.u.copy_(torch.nn.functional.normalize(weight @ v, dim=0))
        return v

    def forward(self, weight: Tensor) -> Tensor:
        r"""Returns the bounded weight."""
        with torch.no_grad():
            if self.training:
                v = self._step(weight)
            else:
                v = torch.nn.functional.normalize(weight.t() @ self.u, dim=0)
        # A copy, since the next call changes `u` before the backward pass.
        sigma = torch.dot(self.u.clone(), weight @ v)
        return weight * (self.bound / sigma.clamp(min=self.bound))


class SpectralResidual(Module):
    r"""Residual layers :math:`x + \text{ReLU}(W x + b)` with bounded
    :math:`W`. The bound preserves distances between inputs.
    """

    def __init__(
        self, channels: int, num_layers: int = 2, bound: float = 0.95
    ) -> None:
        super().__init__()
        self.layers = ModuleList(
            Linear(channels, channels) for _ in range(num_layers)
        )
        for layer in self.layers:
            weight: Tensor = layer.get_parameter("weight").detach()
            parametrize.register_parametrization(
                layer, "weight", SpectralBound(weight, bound)
            )

    def forward(self, x: Tensor) -> Tensor:
        r"""Returns the output, of the shape of the input."""
        for layer in self.layers:
            x = x + torch.relu(layer(x))
        return x


class RandomFeatures(Module):
    r"""Fixed random Fourier features of a Gaussian process with a radial
    kernel, and a linear head.

    .. math::
        \phi(x) = \sqrt{2 / D} \cos(W x + b), \quad f(x) =
        \boldsymbol{\beta}^\top \phi(x)

    A layer norm normalises the inputs. Its learned weights scale the kernel.
    """

    weight: Tensor
    bias: Tensor

    def __init__(
        self,
        channels: int,
        num_features: int = 1024,
        length_scale: float | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        weight = torch.randn((num_features, channels), generator=generator)
        bias = torch.rand(num_features, generator=generator)
        self.norm = LayerNorm(channels)
        scale = math.sqrt(channels) if length_scale is None else length_scale
        self.register_buffer("weight", weight / scale)
        self.register_buffer("bias", 2 * math.pi * bias)
        self.head = Parameter(torch.zeros(num_features))

    def features(self, x: Tensor) -> Tensor:
        r"""Returns :math:`\phi(x)`, of shape :obj:`[..., D]`."""
        angle = torch.nn.functional.linear(self.norm(x), self.weight, self.bias)
        return math.sqrt(2 / self.bias.numel()) * torch.cos(angle)

    def forward(self, x: Tensor) -> Tensor:
        r"""Returns :math:`f(x)`, of shape :obj:`[...]`."""
        return self.features(x) @ self.head
