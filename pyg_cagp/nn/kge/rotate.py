r"""RotatE with Gaussian entities."""

import math
from typing import Unpack

import torch
from torch import Tensor

from pyg_cagp.nn.kge.base import GaussianKGEModel
from pyg_cagp.nn.kge.options import GaussianOptions
from pyg_cagp.nn.kge.transe import distances


class GaussianRotatE(GaussianKGEModel):
    r"""The RotatE model from the `"RotatE: Knowledge Graph Embedding by
    Relational Rotation in Complex Space" <https://arxiv.org/abs/
    1902.10197>`_ paper, with Gaussian entities.

    .. math::
        d(h, r, t) = \gamma - {\| \mathbf{e}_h \circ e^{i \boldsymbol{\theta}_r}
        - \mathbf{e}_t \|}_2

    The variance of the score is that of the score linearised at the means.
    Embeddings hold the real parts first, then the imaginary parts.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int): The hidden embedding size, in complex numbers.
        margin (float, optional): The score :math:`\gamma` of a perfect
            rotation. (default: :obj:`1.0`)
        **kwargs (optional): Additional arguments of
            :class:`~pyg_cagp.nn.kge.GaussianKGEModel`.

    .. note::
        For training this model with its shipped config, see
        ``docs/howto/training.md``.
    """

    node_width = 2

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        hidden_channels: int,
        *,
        margin: float = 1.0,
        **kwargs: Unpack[GaussianOptions],
    ) -> None:
        super().__init__(num_nodes, num_relations, hidden_channels, **kwargs)
        self.margin = margin

    def reset_parameters(self) -> None:
        r"""Resets all learnable parameters of the module."""
        super().reset_parameters()
        torch.nn.init.uniform_(self.rel_emb.weight, 0, 2 * math.pi)

    def rotate(self, node: Tensor, angle: Tensor) -> Tensor:
        r"""Rotates the complex coordinates of embeddings by angles."""
        real, imag = node.chunk(2, dim=-1)
        cos, sin = angle.cos(), angle.sin()
        return torch.cat([cos * real - sin * imag, cos * imag + sin * real], -1)

    def interaction(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Scores embeddings."""
        gap = self.rotate(head, rel) - tail
        return self.margin - torch.linalg.vector_norm(gap, dim=-1)

    def score_all_tails(
        self, head: Tensor, rel: Tensor, tails: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of tails."""
        return self.margin - distances(self.rotate(head, rel), tails, 2.0)

    def score_all_heads(
        self, heads: Tensor, rel: Tensor, tail: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of heads."""
        # Rotating the tail back preserves all distances.
        return self.margin - distances(self.rotate(tail, -rel), heads, 2.0)

    def score_variance(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the variance of each score, to first order."""
        angle = self.rel_emb(rel_type)
        rotated = self.rotate(self.node_emb(head_index), angle)
        gap = rotated - self.node_emb(tail_index)
        length = torch.linalg.vector_norm(gap, dim=-1, keepdim=True)
        by_tail = gap / length.clamp(min=1e-12)
        by_head = self.rotate(by_tail, -angle)
        head_var = self.variance(head_index)
        tail_var = self.variance(tail_index)
        apart = by_head.square() * head_var + by_tail.square() * tail_var
        together = (by_head - by_tail).square() * head_var
        same = (head_index == tail_index)[..., None]
        return torch.where(same, together, apart).sum(dim=-1)
