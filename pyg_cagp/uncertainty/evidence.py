r"""The probability of being out of distribution, from all evidence."""

from typing import Any, Self

import torch
from torch import Tensor

from pyg_cagp import metrics
from pyg_cagp._utils.checks import check_least, check_same_shape, check_triples
from pyg_cagp.coverage import Coverage
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.nn.scoring import SoftmaxTerms
from pyg_cagp.nn.scoring.scorer import ScorerLike
from pyg_cagp.uncertainty.base import Labelled, UncertaintyEstimator
from pyg_cagp.uncertainty.features import FAMILIES, Evidence
from pyg_cagp.uncertainty.parts import check_both_classes


class EvidenceUncertainty(UncertaintyEstimator):
    r"""The probability that a triple is out of distribution, from the evidence
    of a graph and a model.

    .. math::
        P(\text{OOD} \mid h, r, t) = \sigma \left( b + \sum_j g_j(x_j)
        \right)

    Each :math:`x_j` is a piece of :class:`Evidence`, higher for more
    uncertainty, and each :math:`g_j` a non-decreasing, piecewise linear
    function between knots at quantiles of the validation triples. All are
    fitted together by penalised maximum likelihood on validation triples, which
    is a convex problem. The sum has a semantic, a structural and a score part;
    see :meth:`parts`.

    Args:
        coverage (Coverage): The coverage of the training triples.
        model (Scorer or callable, optional): The model.
            (default: :obj:`None`)
        use_score (bool, optional): If set to :obj:`False`, uses no scores,
            only counts, coverage, frequencies and variances.
            (default: :obj:`True`)
        num_knots (int, optional): The number of knots of each function.
            (default: :obj:`16`)
        ridge (float, optional): The weight of the penalty on slopes.
            (default: :obj:`1e-5`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> estimator = EvidenceUncertainty(Coverage.from_data(kg)).fit(kg)
        >>> zero = torch.zeros(1, dtype=torch.long)
        >>> bool(0 <= estimator(zero, zero, zero) <= 1)
        True

    .. note::
        For an example of using this estimator, see
        ``examples/selective_prediction.py``.
    """

    needs_fit = True

    knots_: Tensor
    slopes_: Tensor
    intercept_: float

    def __init__(
        self,
        coverage: Coverage,
        model: ScorerLike | None = None,
        *,
        use_score: bool = True,
        num_knots: int = 16,
        ridge: float = 1e-5,
    ) -> None:
        evidence = Evidence(coverage, model, use_score=use_score)
        super().__init__(coverage.num_nodes, coverage.num_relations)
        check_least("num_knots", num_knots, 1)
        check_least("ridge", ridge, 0)
        self.use_score = use_score
        self.num_knots = num_knots
        self.ridge = ridge
        self.evidence = evidence
        self.reads_scores = SIDES if evidence.use_score else ()

    @property
    def device(self) -> torch.device:
        r"""The device of the coverage, and of the model."""
        return self.evidence.coverage.device

    def _made_of(self) -> list[Any]:
        parts = self.evidence.coverage, self.evidence.model
        return [part for part in parts if part is not None]

    def _parts(self) -> list[str]:
        return [" / ".join(name) for name in self.evidence.names]

    def _posterior_model(self) -> GaussianKGEModel | None:
        model = self.evidence.model
        return model if isinstance(model, GaussianKGEModel) else None

    def _fit(self, labelled: Labelled) -> None:
        val = labelled()
        self.fit_labelled(*val.triples, val.label)

    def fit_labelled(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        label: Tensor,
    ) -> Self:
        r"""Fits all functions on triples with given labels, such as errors of
        a model's validation predictions. No test triple may be among them.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation types.
            tail_index (torch.Tensor): The tail indices.
            label (torch.Tensor): 1 for OOD or wrong triples, 0 for the rest.
        """
        head, rel, tail = check_triples(
            head_index, rel_type, tail_index, self.num_nodes, self.num_relations
        )
        check_same_shape(head_index=head, label=label)
        check_both_classes(label, "'label'")
        device = self.device
        evidence = self.evidence(
            head.to(device), rel.to(device), tail.to(device)
        )
        shares = torch.linspace(0, 1, self.num_knots + 1, dtype=evidence.dtype)
        knots = torch.quantile(evidence, shares.to(device)[:-1], dim=0).t()
        basis = self._basis(evidence, knots)
        slopes, intercept = metrics.monotone_logistic(
            basis.flatten(1), label.long(), ridge=self.ridge
        )
        self.knots_ = knots.contiguous()
        self.slopes_ = slopes.view_as(knots).contiguous().to(device)
        self.intercept_ = intercept
        return self.accept_posterior()

    @staticmethod
    def _basis(evidence: Tensor, knots: Tensor) -> Tensor:
        # For each interval between knots, the length of its part below a value.
        # Weighted sums with non-negative slopes are the monotone piecewise
        # linear functions.
        last = torch.full_like(knots[:, :1], torch.inf)
        upper = torch.cat([knots[:, 1:], last], dim=1)
        below = torch.minimum(evidence[:, :, None], upper[None])
        return (below - knots[None]).clamp(min=0)

    @torch.no_grad()
    def parts(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        *,
        terms: SoftmaxTerms | None = None,
    ) -> dict[str, Tensor]:
        r"""Returns the contribution of each family of evidence to the log-odds.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation types.
            tail_index (torch.Tensor): The tail indices.
            terms (SoftmaxTerms, optional): The softmax terms of the triples.
                (default: :obj:`None`)
        """
        triples = self._ready(head_index, rel_type, tail_index)
        return self._log_odds(self.evidence(*triples, terms))

    def _log_odds(self, evidence: Tensor) -> dict[str, Tensor]:
        pieces = (self._basis(evidence, self.knots_) * self.slopes_).sum(dim=2)
        # Columns are sorted by family.
        families = [family for family, _ in self.evidence.names]
        sizes = [families.count(name) for name in FAMILIES]
        parts = [part.sum(dim=1) for part in pieces.split(sizes, dim=1)]
        return dict(zip(FAMILIES, parts, strict=True))

    def uncertainty(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        terms: SoftmaxTerms | None = None,
    ) -> Tensor:
        r"""Returns the probability of being out of distribution."""
        evidence = self.evidence(head_index, rel_type, tail_index, terms)
        total = torch.stack(list(self._log_odds(evidence).values())).sum(dim=0)
        return torch.sigmoid(total + self.intercept_)
