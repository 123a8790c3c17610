r"""Weighted sums of semantic and structural uncertainty."""

import math
from typing import Any, Literal, TypeAlias, get_args

import torch
from torch import Tensor

from pyg_cagp import metrics
from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.typing import Decomposition
from pyg_cagp.uncertainty.base import Labelled, UncertaintyEstimator
from pyg_cagp.uncertainty.parts import check_one_graph, check_type
from pyg_cagp.uncertainty.semantic import (
    FrequencyUncertainty,
    SemanticUncertainty,
)
from pyg_cagp.uncertainty.structural import StructuralUncertainty

#: The criterion of CAGP's weight.
FitBy: TypeAlias = Literal["likelihood", "auroc"]


class SimpleAverage(UncertaintyEstimator):
    r"""The mean of semantic and structural uncertainty.

    .. math::
        U(h, r, t) = \frac{1}{2} \tilde{U}_{\text{sem}}(h, r, t) +
        \frac{1}{2} U_{\text{str}}(h, r, t)

    Both parts have the scale :math:`[0, 2]`. The scale of the semantic part
    depends on the smallest and the largest variance of all entities.
    :meth:`fit` computes them once, so no value depends on its batch.

    Args:
        model (GaussianKGEModel, SemanticUncertainty or FrequencyUncertainty):
            The model, or an estimator that replaces its mean variances.
        coverage (Coverage or StructuralUncertainty): The coverage of the
            training triples, or an estimator of it.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> cov = Coverage.from_data(kg)
        >>> SimpleAverage(FrequencyUncertainty(cov), cov).fit(kg).alpha
        0.5

    .. note::
        For a use of this estimator, see
        ``benchmark/paper/experiments/leak.py``.
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
        if isinstance(model, GaussianKGEModel):
            model = SemanticUncertainty(model)
        if isinstance(coverage, Coverage):
            coverage = StructuralUncertainty(coverage)
        kinds = GaussianKGEModel, SemanticUncertainty, FrequencyUncertainty
        check_type("model", model, *kinds)
        check_type("coverage", coverage, Coverage, StructuralUncertainty)
        check_one_graph(model, coverage)
        super().__init__(model.num_nodes, model.num_relations)
        self.semantic = model
        self.structural = coverage

    @property
    def device(self) -> torch.device:
        r"""The device of the semantic part."""
        return self.semantic.device

    def _made_of(self) -> list[Any]:
        return [self.semantic, self.structural]

    def _parts(self) -> list[str]:
        parts = self._made_of()
        return [f"{type(part).__name__}({part._options()})" for part in parts]

    def _posterior_model(self) -> GaussianKGEModel | None:
        part = self.semantic
        return part.model if isinstance(part, SemanticUncertainty) else None

    @property
    def alpha(self) -> float:
        r"""The weight of the semantic part."""
        return self.alpha_

    def _fit(self, labelled: Labelled) -> None:
        r"""Sets the scale of the semantic part."""
        ends = torch.stack(torch.aminmax(self.semantic.entity()))
        self.low_, self.high_ = ends.tolist()
        self.alpha_ = 0.5

    @torch.no_grad()
    def decompose(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Decomposition:
        r"""Returns the uncertainty of each triple and its two parts, each in
        :math:`[0, 2]` and without weights.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation types.
            tail_index (torch.Tensor): The tail indices.
        """
        triples = self._ready(head_index, rel_type, tail_index)
        semantic, structural = self._signals(*triples)
        total = self.alpha_ * semantic + (1 - self.alpha_) * structural
        return Decomposition(total, semantic, structural)

    def _signals(
        self, head: Tensor, rel: Tensor, tail: Tensor
    ) -> tuple[Tensor, Tensor]:
        semantic = self.semantic.uncertainty(head, rel, tail) - self.low_
        width = self.high_ - self.low_
        if width > 0:
            semantic.div_(width / 2)
        same_device = self.structural.device == head.device
        part = self.structural
        evaluate = part.uncertainty if same_device else part
        return semantic, evaluate(head, rel, tail).to(semantic.dtype)

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the weighted sum of both parts."""
        semantic, structural = self._signals(head_index, rel_type, tail_index)
        structural = structural.mul_(1 - self.alpha_)
        return semantic.mul_(self.alpha_).add_(structural)


class CAGP(SimpleAverage):
    r"""The Coverage-Augmented GP-KGE (Gaussian Process Knowledge Graph
    Embedding) of the `"Decomposing Uncertainty in Probabilistic Knowledge Graph
    Embeddings: Why Entity Variance Is Not Enough"
    <https://arxiv.org/abs/2512.22318>`_ paper: semantic and structural
    uncertainty with a learned weight.

    .. math::
        U_{\text{CAGP}}(h, r, t) = \alpha \, \tilde{U}_{\text{sem}}(h, r, t) +
        (1 - \alpha) \, U_{\text{str}}(h, r, t), \quad \alpha \in [0, 1]

    The paper's loss cannot learn :math:`\alpha`, because :math:`\alpha` does
    not occur in it. Here, :meth:`fit` chooses it on labelled validation
    triples. Pass the protocol of the evaluation to :meth:`fit`.

    Args:
        model (GaussianKGEModel, SemanticUncertainty or FrequencyUncertainty):
            The model, or an estimator that replaces its mean variances.
        coverage (Coverage or StructuralUncertainty): The coverage of the
            training triples, or an estimator of it.
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

    .. note::
        For an example of using this estimator, see
        ``examples/ood_detection.py``.
    """

    def __init__(
        self,
        model: GaussianKGEModel | SemanticUncertainty | FrequencyUncertainty,
        coverage: Coverage | StructuralUncertainty,
        *,
        fit_by: FitBy = "likelihood",
    ) -> None:
        check_choice("fit_by", fit_by, get_args(FitBy))
        super().__init__(model, coverage)
        self.fit_by = fit_by

    def _fit(self, labelled: Labelled) -> None:
        r"""Sets the scale of the semantic part and the weight."""
        val = labelled()
        super()._fit(labelled)
        label = val.label.to(self.device)
        triples = (part.to(self.device) for part in val.triples)
        with torch.no_grad():
            signals = torch.stack(self._signals(*triples), 1).double()
        by_likelihood = self.fit_by == "likelihood"
        best_alpha = _most_likely if by_likelihood else _best_area
        self.alpha_ = best_alpha(signals, label)


def _most_likely(signals: Tensor, label: Tensor) -> float:
    # The slopes of a logistic regression on both parts have the ratio of the
    # weights.
    slopes, _ = metrics.monotone_logistic(signals, label)
    total = float(slopes.sum())
    return float(slopes[0]) / total if total > 0 else 0.5


def _best_area(signals: Tensor, label: Tensor) -> float:
    # A grid of logits, which is dense where alpha is close to 0 or 1.
    logits = torch.linspace(-8, 8, 161, dtype=torch.double).tolist()
    alphas = [1 / (1 + math.exp(-logit)) for logit in logits]
    areas = [
        metrics.auroc(signals @ signals.new_tensor([a, 1 - a]), label)
        for a in alphas
    ]
    best = max(areas)
    ties = [a for a, area in zip(alphas, areas, strict=True) if area == best]
    return ties[len(ties) // 2]
