r"""Two kinds of doubt, mixed."""

import math
from typing import ClassVar

import torch
from torch import Tensor

from pyg_cagp import metrics
from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.typing import Decomposition
from pyg_cagp.uncertainty.base import Labelled, UncertaintyEstimator, check_type
from pyg_cagp.uncertainty.semantic import (
    FrequencyUncertainty,
    SemanticUncertainty,
)
from pyg_cagp.uncertainty.structural import StructuralUncertainty

#: Where CAGP's weight comes from.
FIT_BY = ("likelihood", "auroc")


class SimpleAverage(UncertaintyEstimator):
    r"""The mean of semantic and structural uncertainty.

    .. math::
        U(h, r, t) = \frac{1}{2} \tilde{U}_{\text{sem}}(h, r, t) +
        \frac{1}{2} U_{\text{str}}(h, r, t)

    Both are on the scale :math:`[0, 2]`. The semantic part is brought to it by
    the smallest and the largest variance of all entities, which are found once
    by :meth:`fit` and frozen: no score depends on its batch.

    Args:
        model (GaussianKGEModel, SemanticUncertainty or FrequencyUncertainty):
            The model, or what takes the place of the mean of its variances.
        coverage (Coverage or StructuralUncertainty): The coverage of the
            training triples, or an estimator made of it.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> cov = Coverage.from_data(kg)
        >>> SimpleAverage(FrequencyUncertainty(cov), cov).fit(kg).alpha
        0.5
    """

    needs_fit = True

    alpha_: float
    low_: float
    high_: float

    def __init__(
        self,
        model: GaussianKGEModel | SemanticUncertainty | FrequencyUncertainty,
        coverage: Coverage | StructuralUncertainty,
    ) -> None:
        self.semantic = (
            SemanticUncertainty(model)
            if isinstance(model, GaussianKGEModel)
            else model
        )
        self.structural = (
            StructuralUncertainty(coverage)
            if isinstance(coverage, Coverage)
            else coverage
        )
        check_type(
            "model", self.semantic, SemanticUncertainty, FrequencyUncertainty
        )
        check_type("coverage", self.structural, StructuralUncertainty)
        sizes = [
            (part.num_nodes, part.num_relations)
            for part in (self.semantic, self.structural)
        ]
        if sizes[0] != sizes[1]:
            raise InvalidInputError(
                f"'model' and 'coverage' must be of one graph (got "
                f"{sizes[0]} and {sizes[1]} entities and relations)"
            )
        super().__init__(*sizes[0])

    @property
    def device(self) -> torch.device:
        r"""The device of the semantic part."""
        return self.semantic.device

    def _made_of(self) -> list[str]:
        return [repr(self.semantic), repr(self.structural)]

    @property
    def alpha(self) -> float:
        r"""The weight of the semantic part."""
        self.check_fitted()
        return self.alpha_

    def _fit(self, labelled: Labelled) -> None:
        r"""Finds the scale of the semantic part."""
        low, high = torch.aminmax(self.semantic.entity())
        self.low_, self.high_ = float(low), float(high)
        self.alpha_ = 0.5

    @torch.no_grad()
    def decompose(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Decomposition:
        r"""Returns the doubt about each triple and its two parts, which are
        each on :math:`[0, 2]` and not yet weighed.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation types.
            tail_index (torch.Tensor): The tail indices.
        """
        self.check_fitted()
        head, rel, tail = (
            part.to(self.device)
            for part in self.check_triples(head_index, rel_type, tail_index)
        )
        width = self.high_ - self.low_
        semantic = self.semantic.uncertainty(head, rel, tail) - self.low_
        semantic = 2 * semantic / width if width > 0 else semantic
        structural = self.structural(head, rel, tail).to(semantic.dtype)
        total = self.alpha_ * semantic + (1 - self.alpha_) * structural
        return Decomposition(total, semantic, structural)

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the weighed sum of both parts."""
        return self.decompose(head_index, rel_type, tail_index).total

    def __repr__(self) -> str:
        options = [repr(self.semantic), repr(self.structural)]
        options += [f"{k}={v!r}" for k, v in self._options().items()]
        return f"{self.__class__.__name__}({', '.join(options)})"


class CAGP(SimpleAverage):
    r"""The coverage-aware Gaussian process of the `"Decomposing Uncertainty in
    Probabilistic Knowledge Graph Embeddings: Why Entity Variance Is Not Enough"
    <https://arxiv.org/abs/2512.22318>`_ paper: semantic and structural
    uncertainty with a learned weight.

    .. math::
        U_{\text{CAGP}}(h, r, t) = \alpha \, \tilde{U}_{\text{sem}}(h, r, t) +
        (1 - \alpha) \, U_{\text{str}}(h, r, t), \quad \alpha \in [0, 1]

    No term of the paper's training loss has :math:`\alpha` in it. Here it is
    fitted on validation triples that are labelled by the same rule as test
    triples, and frozen.

    Args:
        model (GaussianKGEModel, SemanticUncertainty or FrequencyUncertainty):
            The model, or what takes the place of the mean of its variances.
        coverage (Coverage or StructuralUncertainty): The coverage of the
            training triples, or an estimator made of it.
        fit_by (str, optional): :obj:`"likelihood"` for the weight under which
            a logistic regression of the labels on :math:`U_{\text{CAGP}}` has
            the largest likelihood, or :obj:`"auroc"` for that of the largest
            AUROC. (default: :obj:`"likelihood"`)

    Example:
        >>> from pyg_cagp import GaussianDistMult
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
        >>> cagp = CAGP(model, Coverage.from_data(kg)).fit(kg)
        >>> 0 <= cagp.alpha <= 1
        True
    """

    options: ClassVar[tuple[str, ...]] = ("fit_by",)

    def __init__(
        self,
        model: GaussianKGEModel | SemanticUncertainty | FrequencyUncertainty,
        coverage: Coverage | StructuralUncertainty,
        fit_by: str = "likelihood",
    ) -> None:
        check_choice("fit_by", fit_by, FIT_BY)
        super().__init__(model, coverage)
        self.fit_by = fit_by

    def _fit(self, labelled: Labelled) -> None:
        r"""Finds the scale of the semantic part, and the weight on the
        validation triples.
        """
        val = labelled()
        super()._fit(labelled)
        label = val.label.to(self.device)
        parts = self.decompose(*val.triples)
        signals = torch.stack([parts.semantic, parts.structural], 1).double()
        self.alpha_ = (
            _most_likely(signals, label)
            if self.fit_by == "likelihood"
            else _best_area(signals, label)
        )


def _most_likely(signals: Tensor, label: Tensor) -> float:
    # A logistic regression on a weighed sum has two slopes, and their ratio is
    # that of the weights.
    slopes, _ = metrics.monotone_logistic(signals, label)
    total = float(slopes.sum())
    return float(slopes[0]) / total if total > 0 else 0.5


def _best_area(signals: Tensor, label: Tensor) -> float:
    # On a grid of lambda, which is dense near both ends of alpha.
    logits = torch.linspace(-8, 8, 161, dtype=torch.double).tolist()
    alphas = [1 / (1 + math.exp(-logit)) for logit in logits]
    areas = [
        metrics.auroc(signals @ signals.new_tensor([a, 1 - a]), label)
        for a in alphas
    ]
    best = max(areas)
    ties = [a for a, area in zip(alphas, areas, strict=True) if area == best]
    return ties[len(ties) // 2]
