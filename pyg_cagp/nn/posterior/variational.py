r"""The posterior of variational training."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.posterior.posterior import Posterior, count_slots

if TYPE_CHECKING:
    from pyg_cagp.nn.kge import GaussianKGEModel


class VariationalPosterior:
    r"""The variances that training learns by the evidence lower bound, as in
    the paper.
    """

    @torch.no_grad()
    def fit(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> Posterior:
        r"""Returns a posterior with a copy of the model's variances.

        Args:
            model (GaussianKGEModel): The trained model.
            head_index (torch.Tensor): The head indices of training.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
        """
        self.check(model)
        return Posterior(
            model.node_emb,
            model.trained_posterior.variance().log(),
            float(model.prior.variance),
            count_slots(head_index, tail_index, model.num_nodes),
        )

    def check(self, model: "GaussianKGEModel") -> None:
        r"""Raises an error if the model trains no variances. It can be called
        before training.
        """
        if not model.variational:
            raise InvalidInputError(
                "'model' is trained without variances (variational=False); "
                "use a LaplacePosterior"
            )
