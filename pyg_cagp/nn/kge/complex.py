r"""ComplEx with Gaussian entities."""

import torch
from torch import Tensor

from pyg_cagp.nn.kge.bilinear import BilinearKGEModel


class GaussianComplEx(BilinearKGEModel):
    r"""The ComplEx model from the `"Complex Embeddings for Simple Link
    Prediction" <https://arxiv.org/abs/1606.06357>`_ paper, with Gaussian
    entities.

    .. math::
        d(h, r, t) = \textrm{Re} \langle \mathbf{e}_h, \mathbf{e}_r,
        \overline{\mathbf{e}_t} \rangle

    Embeddings hold the real parts first, then the imaginary parts.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int): The hidden embedding size, in complex numbers.
        **kwargs (optional): Additional arguments of
            :class:`~pyg_cagp.nn.kge.GaussianKGEModel`.

    Example:
        >>> model = GaussianComplEx(10, 2, hidden_channels=4)
        >>> model.node_emb
        Embedding(10, 8)

    .. note::
        For an example of using this model, see ``examples/kge_fb15k_237.py``.
    """

    node_width = 2
    rel_width = 2

    def cubes(self, embedding: Tensor) -> Tensor:
        r"""Returns the sum of the cubed moduli of each embedding."""
        real, imag = embedding.chunk(2, dim=-1)
        # Zero has no slope, but its square root an infinite one.
        modulus = (real.square() + imag.square() + 1e-20).sqrt()
        return modulus.pow(3).sum(dim=-1)

    def map_tail(self, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Returns :math:`\overline{\mathbf{e}_r} \circ \mathbf{e}_t`."""
        rel_re, rel_im = rel.chunk(2, dim=-1)
        tail_re, tail_im = tail.chunk(2, dim=-1)
        real = rel_re * tail_re + rel_im * tail_im
        return torch.cat([real, rel_re * tail_im - rel_im * tail_re], dim=-1)

    def transpose(self, rel: Tensor) -> Tensor:
        r"""Returns :math:`\overline{\mathbf{e}_r}`."""
        real, imaginary = rel.chunk(2, dim=-1)
        return torch.cat([real, -imaginary], dim=-1)

    def map_squared(self, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Applies the matrix with squared entries."""
        rel_re, rel_im = rel.square().chunk(2, dim=-1)
        tail_re, tail_im = tail.chunk(2, dim=-1)
        real = rel_re * tail_re + rel_im * tail_im
        return torch.cat([real, rel_re * tail_im + rel_im * tail_re], dim=-1)

    def map_crossed(self, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Applies the entry-wise product of the matrix and its transpose."""
        rel_re, rel_im = rel.square().chunk(2, dim=-1)
        tail_re, tail_im = tail.chunk(2, dim=-1)
        real = rel_re * tail_re - rel_im * tail_im
        return torch.cat([real, rel_re * tail_im - rel_im * tail_re], dim=-1)

    def map_moment(self, rel: Tensor, mass: Tensor, tails: Tensor) -> Tensor:
        r"""Returns :math:`\sum_k w_{bk} (\mathbf{M}_{r_b} \mathbf{e}_k)^2`."""
        squares = self.map_squared(rel, mass @ tails.square())
        rel_re, rel_im = rel.chunk(2, dim=-1)
        tails_re, tails_im = tails.chunk(2, dim=-1)
        crossed = 2 * rel_re * rel_im * (mass @ (tails_re * tails_im))
        return squares + torch.cat([crossed, -crossed], dim=-1)
