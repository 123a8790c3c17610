r"""What is known of entities after training."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import GaussianKGEModel


class Posterior(ABC):
    r"""A base class for ways to get the variances of a trained model's
    entities.

    :meth:`fit` computes them and leaves the model as it is; :meth:`apply_to`
    puts them into the model, whose :obj:`variance`, :obj:`mean_variance`,
    :obj:`score_variance` and :obj:`sample` speak of this posterior from then
    on. Means, and so scores, do not change. Entities that never occur in
    training have the variance of the prior, the largest of all.
    """

    #: The posterior variances, of shape :obj:`[num_nodes, channels]`.
    variance_: Tensor
    #: The variance of the prior.
    prior_variance_: float

    @abstractmethod
    def fit(
        self, model: GaussianKGEModel, edge_index: Tensor, edge_type: Tensor
    ) -> "Posterior":
        r"""Computes the variances of all entities.

        Args:
            model (GaussianKGEModel): The trained model.
            edge_index (torch.Tensor): Heads and tails of training, of shape
                :obj:`[2, E]`.
            edge_type (torch.Tensor): Relations of training, of shape
                :obj:`[E]`.
        """

    @torch.no_grad()
    def apply_to(self, model: GaussianKGEModel) -> GaussianKGEModel:
        r"""Gives a model these variances.

        Args:
            model (GaussianKGEModel): The model, of the shape of the one that
                was fitted to.
        """
        if not hasattr(self, "variance_"):
            raise InvalidInputError(
                f"this {self.__class__.__name__} has no variances yet; call "
                f"'fit' first"
            )
        if model.node_emb.weight.shape != self.variance_.shape:
            raise InvalidInputError(
                f"'model' must have embeddings of shape "
                f"{list(self.variance_.shape)} (got "
                f"{list(model.node_emb.weight.shape)})"
            )
        weight = model.node_log_var.weight
        variance = self.variance_[:, : weight.size(1)]
        if not torch.equal(variance.expand_as(self.variance_), self.variance_):
            raise InvalidInputError(
                "'model' has one variance an entity (covariance='spherical'), "
                "this posterior more; use an isotropic one"
            )
        weight.copy_(variance.log())
        model.prior.log_variance.copy_(torch.tensor(self.prior_variance_).log())
        model.variational = True
        return model


class VariationalPosterior(Posterior):
    r"""The variances that training by the evidence lower bound arrived at, as
    in the paper.
    """

    @torch.no_grad()
    def fit(
        self, model: GaussianKGEModel, edge_index: Tensor, edge_type: Tensor
    ) -> "VariationalPosterior":
        r"""Reads the variances of all entities from the model."""
        if not model.variational:
            raise InvalidInputError(
                "'model' was trained without variances (variational=False); "
                "use a LaplacePosterior"
            )
        model.observe(*edge_index)
        every = torch.arange(model.num_nodes, device=edge_index.device)
        self.variance_ = model.variance(every)
        self.prior_variance_ = float(model.prior.variance)
        return self
