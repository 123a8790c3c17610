r"""Uncertainty about entity-relation pairs, from the coverage."""

from typing import Literal, TypeAlias, get_args

from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage
from pyg_cagp.typing import Role
from pyg_cagp.uncertainty.base import CoverageEstimator
from pyg_cagp.uncertainty.possible import possible_pairs

#: The definitions of covered pairs.
View: TypeAlias = Literal["binary", "directed", "log", "tfidf", "smoothed"]


class StructuralUncertainty(CoverageEstimator):
    r"""The structural uncertainty of the `"Decomposing Uncertainty in
    Probabilistic Knowledge Graph Embeddings: Why Entity Variance Is Not Enough"
    <https://arxiv.org/abs/2512.22318>`_ paper.

    .. math::
        U_{\text{str}}(h, r, t) = 2 - c(h, r) - c(t, r)

    Args:
        coverage (Coverage): The coverage of the training triples.
        view (str, optional): The definition of :math:`c`, in :math:`[0, 1]`:

            * :obj:`"binary"`: 1 for a pair with training triples in either
              role, as in the paper,
            * :obj:`"directed"`: 1 for a pair with training triples in its role,
              head or tail,
            * :obj:`"log"`, :obj:`"tfidf"`: weighted counts; see
              :meth:`~pyg_cagp.coverage.Coverage.values`,
            * :obj:`"smoothed"`: the probability that the pair is possible in
              its role; see :class:`~pyg_cagp.uncertainty.PossiblePairs`.

            (default: :obj:`"binary"`)

    Example:
        >>> edge_index = torch.tensor([[0, 0, 1], [1, 2, 2]])
        >>> edge_type = torch.tensor([0, 0, 1])
        >>> cov = Coverage.from_edges(edge_index, edge_type, 3, 2)
        >>> head, rel = torch.tensor([0, 1]), torch.tensor([1, 0])
        >>> StructuralUncertainty(cov)(head, rel, torch.tensor([2, 2]))
        tensor([1., 0.])
        >>> StructuralUncertainty(cov, view="directed")(
        ...     head, rel, torch.tensor([2, 2])
        ... )
        tensor([1., 1.])

    .. note::
        For an example of using this estimator, see
        ``examples/ood_detection.py``.
    """

    def __init__(self, coverage: Coverage, *, view: View = "binary") -> None:
        check_choice("view", view, get_args(View))
        super().__init__(coverage)
        self.view = view
        if view == "smoothed":
            self.possible = possible_pairs(coverage)

    def evidence(self, entity: Tensor, relation: Tensor, role: Role) -> Tensor:
        r"""Returns :math:`c(e, r)`, in :math:`[0, 1]`, without checks."""
        if self.view == "binary":
            return self.coverage._contains(entity, relation).float()
        if self.view == "directed":
            return self.coverage._contains(entity, relation, role).float()
        if self.view == "smoothed":
            return self.possible[role](entity, relation).float()
        return self.coverage._weight(entity, relation, self.view).float()

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the missing evidence, in :math:`[0, 2]`."""
        if self.view == "binary":
            missing = self.coverage._missing(head_index, rel_type, tail_index)
            return missing.float()
        head = self.evidence(head_index, rel_type, "head")
        return 2 - head - self.evidence(tail_index, rel_type, "tail")
