r"""The posterior of a model in training."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import Module

from pyg_cagp.nn.posterior.posterior import Posterior

if TYPE_CHECKING:
    from pyg_cagp.nn.kge.base import GaussianKGEModel


class TrainedPosterior(Posterior):
    r"""The posterior with the variances that a model trains. Each call reads
    their current values. For a model without variances
    (:obj:`variational=False`), :meth:`rsample` returns the means.
    """

    def __init__(self, model: "GaussianKGEModel") -> None:
        Module.__init__(self)
        self._node_emb = (model.node_emb,)
        self._model = (model,)

    @property
    def log_variance(self) -> Tensor:
        r"""The logarithms of all variances."""
        model = self._model[0]
        return torch.where(
            self._unseen(None)[:, None],
            model.prior.log_variance,
            model.node_log_var.weight,
        )

    @property
    def frequency(self) -> Tensor:
        r"""The number of training slots of each entity."""
        return self._model[0].node_freq

    @property
    def prior_variance(self) -> float:
        r"""The variance of the prior."""
        return float(self._model[0].prior.variance)

    @property
    def key(self) -> str:
        r"""A digest of variances and frequencies, computed at each call."""
        return self._digest()

    def _unseen(self, entity: Tensor | None) -> Tensor:
        frequency = self.frequency
        count = frequency if entity is None else frequency[entity]
        return (count == 0) & frequency.any()

    def variance(self, entity: Tensor | None = None) -> Tensor:
        r"""Returns the variances of entities, with gradients."""
        if entity is None:
            return self.log_variance.exp()
        model = self._model[0]
        return torch.where(
            self._unseen(entity)[..., None],
            model.prior.variance,
            model.node_log_var(entity).exp(),
        )

    def mean_variance(self, entity: Tensor) -> Tensor:
        r"""Returns the mean over dimensions of the variance."""
        return self._average(self.variance(entity))

    def rsample(
        self, entity: Tensor, *, generator: torch.Generator | None = None
    ) -> Tensor:
        r"""Draws embeddings, with gradients to means and variances."""
        if not self._model[0].variational:
            return self.mean(entity)
        return super().rsample(entity, generator=generator)
