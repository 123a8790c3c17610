r"""Uncertainty from the scores of a model."""

from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.scoring import SoftmaxTerms, softmax_terms
from pyg_cagp.nn.scoring.scorer import ScorerLike, as_scorer, score_triples
from pyg_cagp.uncertainty.base import ModelEstimator

ScoreKind: TypeAlias = Literal["score", "sigmoid", "softmax"]
EnergyOf: TypeAlias = Literal["query", "triple"]


class ScoreUncertainty(ModelEstimator):
    r"""Uncertainty as the lack of a high score.

    Args:
        model (Scorer or callable): The model.
        kind (str, optional): :obj:`"score"` for :math:`-s(h, r, t)`,
            :obj:`"sigmoid"` for :math:`1 - \sigma(s)`, for a model that was
            trained to separate true triples from false ones, or
            :obj:`"softmax"` for :math:`1 - p(t \mid h, r)` among all tails.
            (default: :obj:`"score"`)

    Example:
        >>> from torch_geometric.nn.kge import DistMult
        >>> estimator = ScoreUncertainty(DistMult(5, 2, 4), kind="sigmoid")
        >>> zero = torch.zeros(2, dtype=torch.long)
        >>> bool((estimator(zero, zero, zero) < 1).all())
        True

    .. note::
        For an example of using this estimator, see
        ``examples/pykeen_model.py``.
    """

    def __init__(self, model: ScorerLike, *, kind: ScoreKind = "score") -> None:
        check_choice("kind", kind, get_args(ScoreKind))
        super().__init__(as_scorer(model))
        self.kind = kind
        self.reads_scores = ("tail",) if kind == "softmax" else ()

    def uncertainty(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        terms: SoftmaxTerms | None = None,
    ) -> Tensor:
        r"""Returns the uncertainty of each triple."""
        triples = head_index, rel_type, tail_index
        if self.kind == "softmax":
            terms = terms or softmax_terms(self.model, *triples, sides=["tail"])
            # 1 - p, exact for p close to 1.
            return -torch.expm1(terms.tail.log_prob())
        score = score_triples(self.model, *triples)
        return -score if self.kind == "score" else torch.sigmoid(-score)


class Energy(ModelEstimator):
    r"""The energy score of the `"Energy-based Out-of-distribution Detection"
    <https://arxiv.org/abs/2010.03759>`_ paper.

    A classifier's energy is :math:`-T \log \sum_k e^{f_k(x) / T}` over its
    classes. For a knowledge graph, it has two versions:

    * the energy of a *query*, :math:`-T \log \sum_{t'} e^{s(h, r, t') / T}`,
      over all tails. It is the same for all tails of a query.
    * the energy of a *triple*, :math:`-s(h, r, t)`, which is that of one class.

    Args:
        model (Scorer or callable): The model.
        of (str, optional): :obj:`"query"` or :obj:`"triple"`.
            (default: :obj:`"query"`)
        temperature (float, optional): The temperature :math:`T`.
            (default: :obj:`1.0`)

    Example:
        >>> from torch_geometric.nn.kge import DistMult
        >>> energy = Energy(DistMult(5, 2, 4))
        >>> zero = torch.zeros(2, dtype=torch.long)
        >>> float(energy(zero, zero, torch.tensor([0, 1])).diff())
        0.0

    .. note::
        For an example of using this estimator, see
        ``docs/howto/from_pyg.md``.
    """

    def __init__(
        self,
        model: ScorerLike,
        *,
        of: EnergyOf = "query",
        temperature: float = 1.0,
    ) -> None:
        check_choice("of", of, get_args(EnergyOf))
        if not temperature > 0:
            raise InvalidInputError(
                f"'temperature' must be positive (got {temperature})"
            )
        super().__init__(as_scorer(model))
        self.of = of
        self.temperature = temperature
        # Shared terms have temperature 1.
        shared = of == "query" and temperature == 1
        self.reads_scores = ("tail",) if shared else ()

    def uncertainty(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        terms: SoftmaxTerms | None = None,
    ) -> Tensor:
        r"""Returns the energy of each triple."""
        triples = head_index, rel_type, tail_index
        temperature = self.temperature
        if self.of == "triple":
            return -score_triples(self.model, *triples)
        terms = terms or softmax_terms(
            self.model, *triples, sides=["tail"], temperature=temperature
        )
        return -temperature * terms.tail.logsumexp
