r"""All evidence, weighed by what validation has shown."""

from typing import ClassVar, Self

import torch
from torch import Tensor

from pyg_cagp import metrics
from pyg_cagp._utils.checks import check_same_shape
from pyg_cagp.coverage import Coverage
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.scoring.scorer import ScorerLike
from pyg_cagp.uncertainty.base import (
    Labelled,
    UncertaintyEstimator,
    check_both_classes,
)
from pyg_cagp.uncertainty.features import FAMILIES, Evidence


class EvidenceUncertainty(UncertaintyEstimator):
    r"""The probability that a triple is out of distribution, from all that a
    graph and a model know of it.

    .. math::
        P(\text{OOD} \mid h, r, t) = \sigma \left( b + \sum_j g_j(x_j)
        \right)

    Each :math:`x_j` is a piece of :class:`Evidence`, higher for more doubt, and
    each :math:`g_j` a non-decreasing, piecewise linear function between knots
    at quantiles of the validation triples: more evidence of doubt never makes a
    triple look safer. All are fitted together by penalised maximum likelihood
    on validation triples, which is a convex problem, and frozen. The sum parts
    into what is semantic, what is structural and what the model's scores say;
    see :meth:`parts`.

    Args:
        coverage (Coverage): The coverage of the training triples.
        model (Scorer or callable, optional): The model.
            (default: :obj:`None`)
        use_score (bool, optional): If set to :obj:`False`, does without the
            model's scores: counts, coverage, frequency and variance only.
            (default: :obj:`True`)
        num_knots (int, optional): The number of knots of each function.
            (default: :obj:`16`)
        ridge (float, optional): The weight of the penalty on slopes.
            (default: :obj:`1e-5`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> doubt = EvidenceUncertainty(Coverage.from_data(kg)).fit(kg)
        >>> zero = torch.zeros(1, dtype=torch.long)
        >>> bool(0 <= doubt(zero, zero, zero) <= 1)
        True
    """

    options: ClassVar[tuple[str, ...]] = ("use_score", "num_knots", "ridge")
    needs_fit = True

    knots_: Tensor
    slopes_: Tensor
    intercept_: float

    def __init__(
        self,
        coverage: Coverage,
        model: ScorerLike | None = None,
        use_score: bool = True,
        num_knots: int = 16,
        ridge: float = 1e-5,
    ) -> None:
        super().__init__(coverage.num_nodes, coverage.num_relations)
        if num_knots < 1:
            raise InvalidInputError(
                f"'num_knots' must be positive (got {num_knots})"
            )
        if not ridge >= 0:
            raise InvalidInputError(
                f"'ridge' must not be negative (got {ridge})"
            )
        self.use_score = use_score
        self.num_knots = num_knots
        self.ridge = ridge
        self.evidence = Evidence(coverage, model, use_score)

    @property
    def device(self) -> torch.device:
        r"""The device of the coverage, and of the model."""
        return self.evidence.coverage.device

    def _made_of(self) -> list[str]:
        return [" / ".join(name) for name in self.evidence.names]

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
        r"""Fits all functions on triples with labels of one's own, such as
        which of a model's validation predictions are wrong. They must not be
        of test.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation types.
            tail_index (torch.Tensor): The tail indices.
            label (torch.Tensor): 1 for what is to be doubted, 0 for the rest.
        """
        triples = self.check_triples(head_index, rel_type, tail_index)
        check_same_shape(head_index=triples[0], label=label)
        check_both_classes(label, "'label'")
        found = self.evidence(*(part.to(self.device) for part in triples))
        shares = torch.linspace(0, 1, self.num_knots + 1, dtype=found.dtype)
        knots = torch.quantile(found, shares.to(found.device)[:-1], dim=0).t()
        basis = self._basis(found, knots)
        slopes, intercept = metrics.monotone_logistic(
            basis.flatten(1), label.long(), ridge=self.ridge
        )
        self.knots_ = knots.contiguous()
        self.slopes_ = slopes.view_as(knots).contiguous()
        self.intercept_ = intercept
        return self

    @staticmethod
    def _basis(found: Tensor, knots: Tensor) -> Tensor:
        # How far a value has come in each interval between knots: sums of
        # these with slopes that are not negative are all monotone functions
        # that are linear between knots.
        upper = torch.cat(
            [knots[:, 1:], torch.full_like(knots[:, :1], torch.inf)], dim=1
        )
        reached = torch.minimum(found[:, :, None], upper[None])
        return (reached - knots[None]).clamp(min=0)

    def parts(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> dict[str, Tensor]:
        r"""Returns what each family of evidence adds to the log-odds.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation types.
            tail_index (torch.Tensor): The tail indices.
        """
        self.check_fitted()
        triples = self.check_triples(head_index, rel_type, tail_index)
        found = self.evidence(*(part.to(self.device) for part in triples))
        device = found.device
        basis = self._basis(found, self.knots_.to(device))
        pieces = (basis * self.slopes_.to(device)).sum(dim=2)
        families = [family for family, _ in self.evidence.names]
        return {
            name: pieces[:, [f == name for f in families]].sum(dim=1)
            for name in FAMILIES
        }

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the probability of being out of distribution."""
        parts = self.parts(head_index, rel_type, tail_index)
        total = torch.stack(list(parts.values())).sum(dim=0)
        return torch.sigmoid(total + self.intercept_)
