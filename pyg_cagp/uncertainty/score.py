r"""What a model's own scores say of doubt."""

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.scoring import softmax_terms
from pyg_cagp.nn.scoring.scorer import ScorerLike, as_scorer, score_triples
from pyg_cagp.uncertainty.base import ModelEstimator

KINDS = ("score", "sigmoid", "softmax")
OF = ("query", "triple")


class ScoreUncertainty(ModelEstimator):
    r"""Doubt as the lack of a high score.

    Args:
        model (Scorer or callable): The model.
        kind (str, optional): :obj:`"score"` for :math:`-s(h, r, t)`,
            :obj:`"sigmoid"` for :math:`1 - \sigma(s)`, the doubt of a model
            that was trained to tell true triples from false ones, or
            :obj:`"softmax"` for :math:`1 - p(t \mid h, r)` among all tails.
            (default: :obj:`"score"`)

    Example:
        >>> from torch_geometric.nn.kge import DistMult
        >>> doubt = ScoreUncertainty(DistMult(5, 2, 4), "sigmoid")
        >>> zero = torch.zeros(2, dtype=torch.long)
        >>> bool((doubt(zero, zero, zero) < 1).all())
        True
    """

    options = ("kind",)

    def __init__(self, model: ScorerLike, kind: str = "score") -> None:
        check_choice("kind", kind, KINDS)
        super().__init__(as_scorer(model))
        self.kind = kind

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the lack of score."""
        if self.kind == "softmax":
            terms = softmax_terms(
                self.model, head_index, rel_type, tail_index, sides=("tail",)
            )
            # 1 - p, without losing what is next to 0.
            return -torch.expm1(terms.tail.log_prob())
        score = score_triples(self.model, head_index, rel_type, tail_index)
        return -score if self.kind == "score" else torch.sigmoid(-score)


class Energy(ModelEstimator):
    r"""The energy score of the `"Energy-based Out-of-distribution Detection"
    <https://arxiv.org/abs/2010.03759>`_ paper.

    A classifier's energy is :math:`-T \log \sum_k e^{f_k(x) / T}` over its
    classes. A knowledge graph has two readings of it, which answer different
    questions:

    * the energy of a *query*, :math:`-T \log \sum_{t'} e^{s(h, r, t') / T}`,
      over all tails: does the model know what to do with :math:`(h, r, ?)`? It
      is the same for all tails.
    * the energy of a *triple*, :math:`-s(h, r, t)`: the one class that was
      asked for.

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
    """

    options = ("of", "temperature")

    def __init__(
        self, model: ScorerLike, of: str = "query", temperature: float = 1.0
    ) -> None:
        check_choice("of", of, OF)
        if not temperature > 0:
            raise InvalidInputError(
                f"'temperature' must be positive (got {temperature})"
            )
        super().__init__(as_scorer(model))
        self.of = of
        self.temperature = temperature

    def uncertainty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the energy."""
        if self.of == "triple":
            return -score_triples(self.model, head_index, rel_type, tail_index)
        terms = softmax_terms(
            self.model,
            head_index,
            rel_type,
            tail_index,
            sides=("tail",),
            temperature=self.temperature,
        )
        return -self.temperature * terms.tail.logsumexp
