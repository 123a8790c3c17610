r"""A knowledge-graph embedding whose score is a Gaussian process."""

import torch
import torch.nn.functional as F
from torch import Tensor

from pyg_cagp.nn.kge.confidence import ConfidenceKGEModel
from pyg_cagp.nn.spectral import RandomFeatures, SpectralResidual


class SNGPModel(ConfidenceKGEModel):
    r"""The spectral-normalised neural Gaussian process of the `"Simple and
    Principled Uncertainty Estimation with Deterministic Deep Learning via
    Distance Awareness" <https://arxiv.org/abs/2006.10108>`_ paper, on triples.

    The input is the concatenation of the embeddings of head, relation and
    tail, and of their product. Residual layers with bounded weights preserve
    distances. The score is a Gaussian process with random features.

    .. math::
        s(h, r, t) = \boldsymbol{\beta}^\top \phi \left( g \left( [\mathbf{e}_h,
        \mathbf{e}_r, \mathbf{e}_t, \mathbf{e}_h \circ \mathbf{e}_r \circ
        \mathbf{e}_t] \right) \right), \quad p = \sigma(s)

    Training minimises the cross-entropy of triples and corrupted triples.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int, optional): The hidden embedding size.
            (default: :obj:`32`)
        num_features (int, optional): The number of random features.
            (default: :obj:`1024`)
        num_layers (int, optional): The number of residual layers.
            (default: :obj:`2`)
        bound (float, optional): The bound of their weights.
            (default: :obj:`0.95`)
        ridge (float, optional): The prior precision of the output weights.
            (default: :obj:`1.0`)
        num_negatives (int, optional): The number of corrupted triples of each
            triple. (default: :obj:`4`)
        seed (int, optional): The seed of features and corruption.
            (default: :obj:`0`)

    Example:
        >>> model = SNGPModel(10, 2, hidden_channels=4, num_features=16)
        >>> zero = torch.zeros(1, dtype=torch.long)
        >>> float(model.confidence(zero, zero, zero))
        0.5

    .. note::
        For an example of using this model, see ``examples/distance_aware.py``.
    """

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        hidden_channels: int = 32,
        *,
        num_features: int = 1024,
        num_layers: int = 2,
        bound: float = 0.95,
        ridge: float = 1.0,
        num_negatives: int = 4,
        seed: int = 0,
    ) -> None:
        super().__init__(
            num_nodes,
            num_relations,
            hidden_channels,
            num_negatives=num_negatives,
            seed=seed,
        )
        self.ridge = ridge
        self.num_features = num_features
        self.pair_width = num_features
        self.num_layers = num_layers
        self.bound = bound
        #: The number of training triples, which share the prior term.
        self.num_triples = 1
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Resets all learnable parameters of the module."""
        channels, device = 4 * self.hidden_channels, self.node_emb.weight.device
        torch.nn.init.normal_(self.node_emb.weight)
        torch.nn.init.normal_(self.rel_emb.weight)
        trunk = SpectralResidual(channels, self.num_layers, self.bound)
        process = RandomFeatures(channels, self.num_features, seed=self.seed)
        self.trunk, self.process = trunk.to(device), process.to(device)
        self.generator = None

    def _hidden(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        head, rel, tail = torch.broadcast_tensors(head, rel, tail)
        parts = [head, rel, tail, head * rel * tail]
        return self.trunk(torch.cat(parts, dim=-1))

    def features(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the features :math:`\phi` of each triple."""
        head, tail = self.embed(head_index), self.embed(tail_index)
        hidden = self._hidden(head, self.embed_rel(rel_type), tail)
        return self.process.features(hidden)

    def interaction(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Scores embeddings."""
        return self.process(self._hidden(head, rel, tail))

    def confidence(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the probability that each triple is true."""
        return torch.sigmoid(self(head_index, rel_type, tail_index))

    def errors(self, score: Tensor, target: Tensor, wrong: Tensor) -> Tensor:
        r"""Returns the cross-entropy of a batch."""
        entropy = F.binary_cross_entropy_with_logits
        return entropy(score, target) + entropy(wrong, torch.zeros_like(wrong))

    def penalty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the prior term of the output weights, per triple."""
        prior = self.ridge / 2 * self.process.head.square().sum()
        return prior / self.num_triples
