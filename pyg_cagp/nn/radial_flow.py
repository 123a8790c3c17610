r"""Normalising flows that learn a density for each class."""

import math

import torch
from torch import Tensor
from torch.nn import Module, Parameter
from torch.nn.functional import softplus


class RadialFlows(Module):
    r"""Normalising flows of radial layers, from the `"Variational Inference
    with Normalizing Flows" <https://arxiv.org/abs/1505.05770>`_ paper, for many
    classes at once.

    .. math::
        f(z) = z + \frac{b}{a + \lVert z - c \rVert} (z - c), \quad
        \log p(z) = \log \mathcal{N}(f_K(\ldots f_1(z)); 0, I) +
        \sum_k \log \left| \det f_k' \right|.

    With :math:`a > 0` and :math:`b > -a`, each layer is invertible.
    """

    def __init__(
        self, num_classes: int, channels: int, num_layers: int = 10
    ) -> None:
        super().__init__()
        self.centre = Parameter(torch.empty(num_layers, num_classes, channels))
        self.log_a = Parameter(torch.empty(num_layers, num_classes))
        self.log_b = Parameter(torch.empty(num_layers, num_classes))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Resets all learnable parameters of the module. Layers start close to
        the identity.
        """
        torch.nn.init.normal_(self.centre, std=0.5)
        torch.nn.init.zeros_(self.log_a)
        torch.nn.init.normal_(self.log_b, std=0.01)

    def forward(self, z: Tensor) -> Tensor:
        r"""Returns the log-density of points under each class, of shape
        :obj:`[B, num_classes]`.
        """
        dim = z.size(-1)
        point = z[:, None]
        log_det = torch.zeros((), device=z.device)
        layers = zip(self.centre, self.log_a, self.log_b, strict=True)
        for centre, log_a, log_b in layers:
            a = softplus(log_a)
            # This is 0 where log_b is 0, so that b starts close to 0.
            b = softplus(log_b) * a / math.log(2) - a
            offset = point - centre
            # The constant is for the centre, where a norm has no gradient.
            r = (offset.square().sum(-1) + 1e-12).sqrt()
            pull = b / (a + r)
            point = point + pull[..., None] * offset
            log_det = log_det + (dim - 1) * torch.log1p(pull)
            log_det = log_det + torch.log1p(pull - pull * r / (a + r))
        base = point.square().sum(-1) + dim * math.log(2 * math.pi)
        return log_det - base / 2
