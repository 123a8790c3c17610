r"""Uncertainty about entities, from variances or frequencies."""

from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.uncertainty.base import CoverageEstimator, ModelEstimator

#: How the values of the head and the tail are combined.
Combine: TypeAlias = Literal["mean", "max", "head", "tail"]


def combine_ends(head: Tensor, tail: Tensor, how: Combine) -> Tensor:
    r"""Combines the values of heads and tails."""
    if how == "mean":
        return (head + tail).mul_(0.5)
    if how == "max":
        return torch.maximum(head, tail)
    return head if how == "head" else tail


def normalised_semantic(
    variance: Tensor, head_index: Tensor, tail_index: Tensor
) -> Tensor:
    r"""Returns the semantic uncertainty of triples on the scale of structural
    uncertainty, :math:`[0, 2]`, in double precision.

    .. math::
        \tilde{U}_{\text{sem}}(h, r, t) =
        \frac{v_h + v_t - 2 \min_e v_e}{\max_e v_e - \min_e v_e}

    The minimum and the maximum are over all entities, so no value depends on
    other triples.

    Args:
        variance (torch.Tensor): The variance of each entity.
        head_index (torch.Tensor): The head indices.
        tail_index (torch.Tensor): The tail indices.

    Example:
        >>> variance = torch.tensor([0.0, 1.0, 4.0])
        >>> head, tail = torch.tensor([[0, 0], [1, 2]])
        >>> normalised_semantic(variance, head, tail)
        tensor([0.2500, 1.0000], dtype=torch.float64)
    """
    values = variance.detach().double().to(head_index.device)
    low, high = torch.aminmax(values)
    width = high - low if high > low else torch.ones_like(high)
    values = (values - low) / width
    return 2 * combine_ends(values[head_index], values[tail_index], "mean")


class SemanticUncertainty(ModelEstimator):
    r"""The semantic uncertainty of the `"Decomposing Uncertainty in
    Probabilistic Knowledge Graph Embeddings: Why Entity Variance Is Not Enough"
    <https://arxiv.org/abs/2512.22318>`_ paper.

    .. math::
        U_{\text{sem}}(h, r, t) = \frac{1}{2} \left( \bar{\sigma}^2_h +
        \bar{\sigma}^2_t \right), \quad
        \bar{\sigma}^2_e = \frac{1}{d} \sum_{j=1}^d \sigma^2_{e,j}

    It is the same for all relations. Variances are those of the current
    posterior; see :meth:`~pyg_cagp.nn.kge.GaussianKGEModel.set_posterior`.

    Args:
        model (GaussianKGEModel): The model.
        combine (str, optional): :obj:`"mean"` of both ends, as in the paper,
            their :obj:`"max"`, or that of the :obj:`"head"` or of the
            :obj:`"tail"` alone. (default: :obj:`"mean"`)

    Example:
        >>> from pyg_cagp import GaussianDistMult
        >>> model = GaussianDistMult(5, 2, hidden_channels=4)
        >>> zero = torch.zeros(3, dtype=torch.long)
        >>> SemanticUncertainty(model)(zero, zero, zero).shape
        torch.Size([3])

    .. note::
        For an example of using this estimator, see
        ``examples/ood_detection.py``.
    """

    def __init__(
        self, model: GaussianKGEModel, *, combine: Combine = "mean"
    ) -> None:
        check_choice("combine", combine, get_args(Combine))
        super().__init__(model, GaussianKGEModel)
        self.combine = combine

    @property
    def device(self) -> torch.device:
        r"""The device of the model."""
        return self.model.node_emb.weight.device

    def entity(self) -> Tensor:
        r"""Returns the mean variance of each entity, of shape
        :obj:`[num_nodes]`.
        """
        every = torch.arange(self.num_nodes, device=self.device)
        with torch.no_grad():
            return self.model.mean_variance(every)

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the mean variance of both ends."""
        variance = self.model.posterior.mean_variance
        return combine_ends(
            variance(head_index), variance(tail_index), self.combine
        )


class FrequencyUncertainty(CoverageEstimator):
    r"""The same as :class:`SemanticUncertainty`, with
    :math:`1 / (1 + \text{freq}(e))` instead of a variance. It is the baseline
    for learned variances.

    Args:
        coverage (Coverage): The coverage of the training triples.
        combine (str, optional): :obj:`"mean"`, :obj:`"max"`, :obj:`"head"` or
            :obj:`"tail"`. (default: :obj:`"mean"`)

    Example:
        >>> edge_index = torch.tensor([[0, 0, 1], [1, 2, 2]])
        >>> cov = Coverage.from_edges(edge_index, torch.zeros(3).long(), 4, 1)
        >>> rarity = FrequencyUncertainty(cov)
        >>> rarity(torch.tensor([0]), torch.tensor([0]), torch.tensor([3]))
        tensor([0.6667])

    .. note::
        For an example of using this estimator, see
        ``docs/tutorials/timestamp.md``.
    """

    def __init__(
        self, coverage: Coverage, *, combine: Combine = "mean"
    ) -> None:
        check_choice("combine", combine, get_args(Combine))
        super().__init__(coverage)
        self.combine = combine

    def entity(self) -> Tensor:
        r"""Returns :math:`1 / (1 + \text{freq}(e))` for each entity."""
        return 1 / (1 + self.coverage._frequency().float())

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the mean rarity of both ends."""
        return combine_ends(
            self._rarity(head_index), self._rarity(tail_index), self.combine
        )

    def _rarity(self, entity: Tensor) -> Tensor:
        return 1 / (1 + self.coverage._frequency().take(entity).float())
