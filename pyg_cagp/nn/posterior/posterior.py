r"""What is known of entities after training."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import GaussianKGEModel

SPHERICAL = (
    "'model' has one variance an entity (covariance='spherical'), this "
    "posterior more; use an isotropic one"
)


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
    #: In how many training slots each entity stands.
    node_freq_: Tensor

    @abstractmethod
    def check(self, model: GaussianKGEModel) -> None:
        r"""Raises an error if a model cannot have such a posterior. It needs no
        training, so it can be asked before.

        Args:
            model (GaussianKGEModel): The model.
        """

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
            raise InvalidInputError(SPHERICAL)
        model.node_freq.copy_(self.node_freq_)
        # Others have the variance of the prior, whatever stands there.
        seen = self.node_freq_ > 0
        weight[seen] = variance[seen].log()
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
        self.check(model)
        self.node_freq_ = count_slots(edge_index, model.num_nodes)
        self.prior_variance_ = float(model.prior.variance)
        variance = model.node_log_var.weight.exp()
        variance = variance.expand_as(model.node_emb.weight)
        seen = (self.node_freq_ > 0)[:, None]
        self.variance_ = torch.where(seen, variance, model.prior.variance)
        return self

    def check(self, model: GaussianKGEModel) -> None:
        r"""Raises an error if the model has no variances to read."""
        if not model.variational:
            raise InvalidInputError(
                "'model' is trained without variances (variational=False); "
                "use a LaplacePosterior"
            )


def count_slots(edge_index: Tensor, num_nodes: int) -> Tensor:
    r"""Returns in how many places of triples each entity stands.

    Args:
        edge_index (torch.Tensor): Heads and tails, of shape :obj:`[2, E]`.
        num_nodes (int): The number of entities.
    """
    return torch.bincount(edge_index.reshape(-1), minlength=num_nodes)
