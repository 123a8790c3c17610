r"""A learned variance of an entity given a relation."""

from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import Linear, ModuleDict, ReLU, Sequential
from torch_geometric.data import Data

from pyg_cagp.data import triples
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.uncertainty.baselines.training import TrainedEstimator
from pyg_cagp.uncertainty.semantic import combine_ends


class RelationConditionedVariance(TrainedEstimator):
    r"""The variance :math:`\sigma^2(e, r)` of an entity given a relation, from
    a multi-layer perceptron.

    The `"Decomposing Uncertainty in Probabilistic Knowledge Graph Embeddings:
    Why Entity Variance Is Not Enough" <https://arxiv.org/abs/2512.22318>`_
    paper mentions it as an alternative to coverage, without a definition. The
    definition here is ours:

    .. math::
        \log \sigma^2_\rho(e, r) = \text{MLP}_\rho \left( [\boldsymbol{\mu}_e,
        \log \bar{\sigma}^2_e, \mathbf{e}_r] \right), \quad
        U(h, r, t) = \tfrac{1}{2} \left( \sigma^2_{\text{head}}(h, r) +
        \sigma^2_{\text{tail}}(t, r) \right).

    There is one perceptron for each role :math:`\rho`. The embeddings of the
    trained model are frozen. The perceptrons learn to separate pairs of
    training triples from pairs with a random entity or a random relation. The
    loss is the cross-entropy with logits :math:`\log \sigma^2`.

    Args:
        model (GaussianKGEModel): The model.
        hidden_channels (int, optional): The width of the perceptrons.
            (default: :obj:`64`)
        epochs (int, optional): The number of epochs.
            (default: :obj:`5`)
        batch_size (int, optional): The number of triples in a step.
            (default: :obj:`1024`)
        lr (float, optional): The learning rate. (default: :obj:`0.003`)
        seed (int, optional): The seed. (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar.
            (default: :obj:`False`)

    .. note::
        For an example of using this estimator, see
        ``examples/distance_aware.py``.
    """

    trained: ClassVar[tuple[str, ...]] = ("perceptrons",)

    def __init__(
        self,
        model: GaussianKGEModel,
        *,
        hidden_channels: int = 64,
        epochs: int = 5,
        batch_size: int = 1024,
        lr: float = 0.003,
        seed: int = 0,
        progress: bool = False,
    ) -> None:
        kind = GaussianKGEModel
        super().__init__(model, kind, epochs, batch_size, lr, seed, progress)
        self.hidden_channels = hidden_channels
        self.perceptrons = self._make()

    def _posterior_model(self) -> GaussianKGEModel:
        return self.model

    def _make(self) -> ModuleDict:
        entity, relation = self.model.node_emb, self.model.rel_emb
        width = entity.embedding_dim + 1 + relation.embedding_dim
        size = self.hidden_channels
        perceptrons = ModuleDict()
        # Weights come from PyTorch's global generator, whose state is restored.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            for role in ("head", "tail"):
                inner = Linear(width, size), ReLU(), Linear(size, size), ReLU()
                perceptrons[role] = Sequential(*inner, Linear(size, 1))
        return perceptrons.to(self.device)

    def log_variance(
        self, entity: Tensor, rel_type: Tensor, role: str
    ) -> Tensor:
        r"""Returns :math:`\log \sigma^2_\rho(e, r)`."""
        with torch.no_grad():
            inputs = [
                self.model.node_emb(entity),
                self.model.mean_variance(entity).log()[..., None],
                self.model.rel_emb(rel_type),
            ]
        return self.perceptrons[role](torch.cat(inputs, dim=-1))[..., 0]

    def _train(self, kg: Data) -> None:
        r"""Trains the perceptrons, on the training triples alone."""
        head, rel, tail = (p.to(self.device) for p in triples(kg, "train"))
        self.perceptrons = self._make()
        generator = torch.Generator(self.device).manual_seed(self.seed)

        def loss(batch: Tensor) -> Tensor:
            total = torch.zeros((), device=self.device)
            for role, entity in (("head", head[batch]), ("tail", tail[batch])):
                true = self.log_variance(entity, rel[batch], role)
                random = self._corrupt(entity, rel[batch], generator)
                false = self.log_variance(*random, role)
                total = total + torch.nn.functional.softplus(true).mean()
                total = total + torch.nn.functional.softplus(-false).mean()
            return total

        parameters = self.perceptrons.parameters()
        self.losses_ = self._minimise(
            loss, parameters, rel.numel(), self.epochs
        )

    def _corrupt(
        self, entity: Tensor, rel: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        # Each pair gets a random entity or, with equal probability, a random
        # relation.
        options: Any = {"generator": generator, "device": rel.device}
        other, other_rel, coin = (
            torch.randint(size, rel.shape, **options)
            for size in (self.num_nodes, self.num_relations, 2)
        )
        new_entity = coin == 0
        entity = torch.where(new_entity, other, entity)
        return entity, torch.where(new_entity, rel, other_rel)

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the mean variance of both ends given the relation."""
        head = self.log_variance(head_index, rel_type, "head").exp()
        tail = self.log_variance(tail_index, rel_type, "tail").exp()
        return combine_ends(head, tail, "mean")
