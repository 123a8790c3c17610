r"""Uncertainty as the effect of dropout on a score."""

from typing import get_args

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice, check_least
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import BilinearKGEModel
from pyg_cagp.uncertainty.base import ModelEstimator
from pyg_cagp.uncertainty.baselines.ensemble import Measure, disagreement


class MCDropout(ModelEstimator):
    r"""Monte Carlo dropout, of the `"Dropout as a Bayesian Approximation"
    <https://arxiv.org/abs/1506.02142>`_ paper: the disagreement of several
    passes with dropout.

    A model that was trained with dropout on its relations is scored with
    :math:`K` masks, each a draw of the approximate posterior,

    .. math::
        p_k = \sigma \left( s(\mathbf{e}_h, \mathbf{m}_k \circ \mathbf{e}_r,
        \mathbf{e}_t) \right), \quad \mathbf{m}_{k,j} \sim
        \text{Bernoulli}(1 - \pi) / (1 - \pi).

    Masks are uniform once and are the same for all triples, so that no score
    depends on its batch.

    Args:
        model (BilinearKGEModel): The model, such as
            :obj:`GaussianDistMult(..., dropout=0.1)`. It must have dropout.
        num_passes (int, optional): The number :math:`K` of passes.
            (default: :obj:`20`)
        measure (str, optional): :obj:`"mutual-information"`,
            :obj:`"variance"` or :obj:`"mean"`; see
            :func:`~pyg_cagp.uncertainty.baselines.disagreement`.
            (default: :obj:`"variance"`)
        seed (int, optional): The seed of the masks. (default: :obj:`0`)

    Example:
        >>> from pyg_cagp import GaussianDistMult
        >>> estimator = MCDropout(GaussianDistMult(5, 2, 8, dropout=0.2))
        >>> zero = torch.zeros(2, dtype=torch.long)
        >>> estimator(zero, zero, zero).shape
        torch.Size([2])

    .. note::
        For an example of using this estimator, see
        ``examples/ensembles.py``.
    """

    def __init__(
        self,
        model: BilinearKGEModel,
        *,
        num_passes: int = 20,
        measure: Measure = "variance",
        seed: int = 0,
    ) -> None:
        super().__init__(model, BilinearKGEModel)
        check_choice("measure", measure, get_args(Measure))
        if model.dropout == 0:
            raise InvalidInputError(
                "'model' has no dropout; train one with 'dropout' above 0"
            )
        check_least("num_passes", num_passes, 2)
        self.num_passes = num_passes
        self.measure = measure
        self.seed = seed
        generator = torch.Generator().manual_seed(seed)
        shape = (num_passes, model.rel_emb.embedding_dim)
        uniform = torch.rand(shape, generator=generator)
        masks = (uniform >= model.dropout) / (1 - model.dropout)
        # Computed from the seed, so not part of the state.
        self.register_buffer("masks", masks.to(self.device), persistent=False)

    def probabilities(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the probability of each pass, of shape :obj:`[K, B]`."""
        head, tail = self.model.embed(head_index), self.model.embed(tail_index)
        rel = self.model.rel_emb(rel_type)
        score = self.model.interaction
        scores = [score(head, rel * mask, tail) for mask in self.masks]
        return torch.sigmoid(torch.stack(scores))

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the disagreement of the passes."""
        p = self.probabilities(head_index, rel_type, tail_index)
        return disagreement(p, self.measure)
