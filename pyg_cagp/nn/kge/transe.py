r"""TransE with Gaussian entities."""

import math
from typing import Unpack

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge.base import GaussianKGEModel
from pyg_cagp.nn.kge.options import GaussianOptions


class GaussianTransE(GaussianKGEModel):
    r"""The TransE model from the `"Translating Embeddings for Modeling
    Multi-Relational Data" <https://proceedings.neurips.cc/paper/2013/file/
    1cecc7a77928ca8133fa24680a88d2f9-Paper.pdf>`_ paper, with Gaussian
    entities.

    .. math::
        d(h, r, t) = \gamma - {\| \mathbf{e}_h + \mathbf{e}_r -
        \mathbf{e}_t \|}_p

    Each coordinate of the difference is Gaussian with mean :math:`\delta_j`
    and variance :math:`v_j = s_{hj} + s_{tj}`. For :math:`p = 1` the score is a
    sum of folded normals, whose variance is exact,

    .. math::
        \textrm{Var}(d) = \sum_j \left( \delta_j^2 + v_j - m_j^2 \right), \quad
        m_j = \sqrt{2 v_j / \pi} \, e^{-\delta_j^2 / 2 v_j} + \delta_j \,
        \textrm{erf} \left( \delta_j / \sqrt{2 v_j} \right);

    for :math:`p = 2` it is that of the score linearised at the means. Unlike
    in PyG's :class:`~torch_geometric.nn.kge.TransE`, embeddings are not
    normalised.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int): The hidden embedding size.
        p_norm (float, optional): The order :math:`p` of the norm, 1 or 2.
            (default: :obj:`1.0`)
        margin (float, optional): The score :math:`\gamma` of a perfect
            translation. (default: :obj:`1.0`)
        **kwargs (optional): Additional arguments of
            :class:`~pyg_cagp.nn.kge.GaussianKGEModel`.

    .. note::
        For an example of using this model, see ``examples/kge_fb15k_237.py``.
    """

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        hidden_channels: int,
        *,
        p_norm: float = 1.0,
        margin: float = 1.0,
        **kwargs: Unpack[GaussianOptions],
    ) -> None:
        if p_norm not in (1, 2):
            raise InvalidInputError(f"'p_norm' must be 1 or 2 (got {p_norm})")
        super().__init__(num_nodes, num_relations, hidden_channels, **kwargs)
        self.p_norm = float(p_norm)
        self.margin = margin

    def interaction(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Scores embeddings."""
        gap = head + rel - tail
        return self.margin - torch.linalg.vector_norm(gap, self.p_norm, dim=-1)

    def score_all_tails(
        self, head: Tensor, rel: Tensor, tails: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of tails."""
        return self.margin - distances(head + rel, tails, self.p_norm)

    def score_all_heads(
        self, heads: Tensor, rel: Tensor, tail: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of heads."""
        return self.margin - distances(tail - rel, heads, self.p_norm)

    def score_variance(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the variance of each score: exact for :math:`p = 1`, to
        first order for :math:`p = 2`.
        """
        mean = self.node_emb(head_index) + self.rel_emb(rel_type)
        mean = mean - self.node_emb(tail_index)
        var = self.variance(head_index) + self.variance(tail_index)
        if self.p_norm == 2:
            length = mean.square().sum(-1, keepdim=True).clamp(min=1e-12)
            variance = (var * mean.square() / length).sum(-1)
        else:
            # The shift of the mean by folding, which avoids the difference of
            # two large numbers.
            size, std = mean.abs(), (2 * var).sqrt()
            shift = std / math.sqrt(math.pi) * (-((size / std) ** 2)).exp()
            shift = shift - size * torch.erfc(size / std)
            variance = (var - shift * (2 * size + shift)).sum(-1)
        # The deviations of an entity cancel where it is both head and tail.
        return variance.clamp(min=0) * (head_index != tail_index)


def distances(query: Tensor, nodes: Tensor, p_norm: float) -> Tensor:
    r"""Returns the distance of each query from each node, of shape
    :obj:`[B, N]`.
    """
    # A matrix product loses the digits that separate close candidates.
    mode = "donot_use_mm_for_euclid_dist"
    return torch.cdist(query, nodes, p_norm, compute_mode=mode)
