r"""A table of the uncertainty of a fitted CAGP, for fast inference."""

from typing import NamedTuple

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_triples
from pyg_cagp.exceptions import InvalidInputError, PosteriorChangedError
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.uncertainty import CAGP, SemanticUncertainty


class ScoredTriples(NamedTuple):
    r"""The score and the uncertainty of each triple."""

    score: Tensor
    uncertainty: Tensor


class InferenceTable:
    r"""Scores of triples and their uncertainty by a fitted
    :class:`~pyg_cagp.uncertainty.CAGP`, from a table that is computed once.

    The uncertainty is a sum over the two ends of a triple,

    .. math::
        U_{\text{CAGP}}(h, r, t) = g(h, r) + g(t, r), \quad
        g(e, r) = \alpha \frac{\bar{\sigma}^2_e - \bar{\sigma}^2_{\min}}
        {\bar{\sigma}^2_{\max} - \bar{\sigma}^2_{\min}} +
        (1 - \alpha) \left( 1 - c(e, r) \right)

    A dense table holds :math:`g` for all pairs of an entity and a relation. If
    it would take more than :obj:`max_bytes`, each call reads the coverage
    instead. A table raises an error after a change of the posterior or of the
    coverage.

    Args:
        cagp (CAGP): The fitted estimator, of the mean of both variances and
            the binary coverage, as in the paper.
        max_bytes (int, optional): The largest size of a dense table.
            (default: :obj:`134217728`)

    Example:
        >>> from pyg_cagp import Coverage, GaussianDistMult
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
        >>> cagp = CAGP(model, Coverage.from_data(kg)).fit(kg)
        >>> table = InferenceTable(cagp)
        >>> zero = torch.zeros(3, dtype=torch.long)
        >>> table(zero, zero, zero).uncertainty.shape
        torch.Size([3])
    """

    def __init__(self, cagp: CAGP, *, max_bytes: int = 2**27) -> None:
        cagp.check_fitted()
        semantic, structural = cagp.semantic, cagp.structural
        if not (
            isinstance(semantic, SemanticUncertainty)
            and (semantic.combine, structural.view) == ("mean", "binary")
        ):
            raise InvalidInputError(
                f"'cagp' must use the mean of both variances and the binary "
                f"coverage (got {cagp!r})"
            )
        self.model: GaussianKGEModel = semantic.model
        self.coverage = structural.coverage
        self.posterior = self.model.posterior
        self._pairs = self.coverage.col
        self.num_relations = cagp.num_relations
        width = float(cagp.high_ - cagp.low_) or 2.0
        scale = float(cagp.alpha_) / width
        #: The part of :math:`g` of a pair that is not covered.
        self.missing = 1 - float(cagp.alpha_)
        values = scale * (semantic.entity().double() - float(cagp.low_))
        self.entity = values.float()
        self.dense: Tensor | None = None
        size = cagp.num_nodes * self.num_relations
        if self.entity.element_size() * size <= max_bytes:
            uncovered = (values + self.missing).float()
            self.dense = uncovered.repeat_interleave(self.num_relations)
            row = self.coverage.row()
            covered = row * self.num_relations + self._pairs
            self.dense[covered] = self.entity[row]

    def __call__(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> ScoredTriples:
        r"""Returns the score of the model for each triple, and its uncertainty.
        Ids are checked.
        """
        sizes = self.model.num_nodes, self.num_relations
        triples = check_triples(head_index, rel_type, tail_index, *sizes)
        with torch.no_grad():
            score = self.model(*triples)
        return ScoredTriples(score, self.uncertainty(*triples))

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the uncertainty of each triple, without checks of ids.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation types.
            tail_index (torch.Tensor): The tail indices.
        """
        self._check_current()
        if self.dense is not None:
            head = torch.add(rel_type, head_index, alpha=self.num_relations)
            tail = torch.add(rel_type, tail_index, alpha=self.num_relations)
            return self.dense.take(head) + self.dense.take(tail)
        semantic = self.entity.take(head_index) + self.entity.take(tail_index)
        missing = self.coverage._missing(head_index, rel_type, tail_index)
        return semantic.add_(missing, alpha=self.missing)

    def _check_current(self) -> None:
        if self.model.posterior is not self.posterior:
            raise PosteriorChangedError(
                "the model has another posterior than the one of this table; "
                "fit CAGP again and make a new InferenceTable"
            )
        if self.coverage.col is not self._pairs:
            raise InvalidInputError(
                "the coverage was changed since this table was made; make a "
                "new InferenceTable"
            )

    def __repr__(self) -> str:
        form = "pairs" if self.dense is not None else "entities"
        return f"{self.__class__.__name__}(a value for each of the {form})"
