r"""Uncertainty as the disagreement of models."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import torch
from torch import Tensor
from torch.nn import ModuleList
from torch_geometric.nn.kge import KGEModel

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.scoring.softmax_terms import softmax_terms
from pyg_cagp.uncertainty.base import UncertaintyEstimator

Measure: TypeAlias = Literal["mutual-information", "variance", "mean"]
Probability: TypeAlias = Literal["softmax", "sigmoid"]


def disagreement(p: Tensor, measure: Measure) -> Tensor:
    r"""Returns the disagreement of several models about a triple.

    With the mean probability :math:`\bar{p}` and the binary entropy :math:`H`,

    * :obj:`"mutual-information"` is :math:`H(\bar{p}) - \overline{H(p)}`, the
      mutual information of the label and the model,
    * :obj:`"variance"` is the variance of the probabilities,
    * :obj:`"mean"` is :math:`1 - \bar{p}`.

    Args:
        p (torch.Tensor): The probabilities, of shape :obj:`[M, B]`.
        measure (str): The measure.

    Example:
        >>> p = torch.tensor([[0.0, 0.5], [1.0, 0.5]])
        >>> disagreement(p, "variance")
        tensor([0.2500, 0.0000])
    """
    if measure == "mean":
        return 1 - p.mean(dim=0)
    if measure == "variance":
        return p.var(dim=0, correction=0)
    information = _entropy(p.mean(dim=0)) - _entropy(p).mean(dim=0)
    return information.clamp(min=0)  # Rounding can make it negative.


def _entropy(p: Tensor) -> Tensor:
    return -torch.xlogy(p, p) - torch.special.xlog1py(1 - p, -p)


class DeepEnsemble(UncertaintyEstimator):
    r"""The ensemble of the `"Simple and Scalable Predictive Uncertainty
    Estimation using Deep Ensembles" <https://arxiv.org/abs/1612.01474>`_ paper:
    the disagreement of several models, trained from different seeds.

    Disagreement does not detect implausible triples: all models give them a low
    probability. The measure :obj:`"mean"` detects such triples.

    Args:
        models (sequence): Two or more trained models; see
            :func:`~pyg_cagp.train.train_ensemble`.
        measure (str, optional): :obj:`"mutual-information"`,
            :obj:`"variance"` or :obj:`"mean"`; see :func:`disagreement`.
            (default: :obj:`"mutual-information"`)
        probability (str, optional): :obj:`"softmax"` for that of the tail among
            all tails, for models trained by a softmax, or :obj:`"sigmoid"` of
            the score, for those trained to separate true from false triples.
            (default: :obj:`"softmax"`)

    Example:
        >>> from torch_geometric.nn.kge import DistMult
        >>> models = [DistMult(5, 2, 4) for _ in range(3)]
        >>> zero = torch.zeros(2, dtype=torch.long)
        >>> DeepEnsemble(models)(zero, zero, zero).shape
        torch.Size([2])

    .. note::
        For an example of using this estimator, see
        ``examples/ensembles.py``.
    """

    def __init__(
        self,
        models: Sequence[KGEModel] | ModuleList,
        *,
        measure: Measure = "mutual-information",
        probability: Probability = "softmax",
    ) -> None:
        check_choice("measure", measure, get_args(Measure))
        check_choice("probability", probability, get_args(Probability))
        if len(models) < 2:
            raise InvalidInputError(
                f"'models' must have at least two members (got {len(models)})"
            )
        sizes: set[Any] = {(m.num_nodes, m.num_relations) for m in models}
        if len(sizes) > 1:
            raise InvalidInputError(
                f"'models' must be of one graph (got {sorted(sizes)} entities "
                f"and relations)"
            )
        super().__init__(*sizes.pop())
        self.models = ModuleList(models)
        self.measure = measure
        self.probability = probability

    @property
    def device(self) -> torch.device:
        r"""The device of the members."""
        return next(self.models.parameters()).device

    def probabilities(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the probability of each member, of shape :obj:`[M, B]`."""
        triples = head_index, rel_type, tail_index
        if self.probability == "sigmoid":
            scores = [model(*triples) for model in self.models]
            return torch.stack([torch.sigmoid(score) for score in scores])
        terms = [
            softmax_terms(m, *triples, sides=["tail"]) for m in self.models
        ]
        return torch.stack([term.tail.log_prob().exp() for term in terms])

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the disagreement of the members."""
        p = self.probabilities(head_index, rel_type, tail_index)
        return disagreement(p, self.measure)

    def _made_of(self) -> list[Any]:
        return list(self.models)
