r"""The evidence about a triple; higher values mean more uncertainty."""

from typing import cast

import torch
from torch import Tensor

from pyg_cagp.coverage import Coverage
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.scoring import SoftmaxTerms, softmax_terms
from pyg_cagp.nn.scoring.scorer import ScorerLike, as_scorer, score_triples
from pyg_cagp.uncertainty.parts import (
    CoverageModule,
    check_one_graph,
    check_type,
)
from pyg_cagp.uncertainty.possible import PossiblePairs, possible_pairs

#: The families of evidence, in the order of the columns.
FAMILIES = ("semantic", "structural", "score")


class Evidence(CoverageModule):
    r"""Collects the evidence of a graph and a model about triples.

    * *semantic*, of each end: the negative logarithm of its frequency, and the
      logarithm of its mean variance;
    * *structural*, of each end: the negative logarithm of its count in its
      role, in the other one and in either, and the probability that the pair is
      not possible;
    * *score*: the negative score, the negative log-probability of the tail
      among all tails and of the head among all heads, and the logarithm of the
      variance of the score.

    Args:
        coverage (Coverage): The coverage of the training triples.
        model (Scorer or callable, optional): The model; variances need a
            Gaussian one. (default: :obj:`None`)
        use_score (bool, optional): If set to :obj:`False`, leaves out the
            family *score*. (default: :obj:`True`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> evidence = Evidence(Coverage.from_data(load("synthetic")))
        >>> evidence.names[0]
        ('semantic', 'rarity of head')
    """

    def __init__(
        self,
        coverage: Coverage,
        model: ScorerLike | None = None,
        *,
        use_score: bool = True,
    ) -> None:
        check_type("coverage", coverage, Coverage)
        if model is not None:
            model = as_scorer(model)
            check_one_graph(model, coverage)
        super().__init__()
        self.coverage = coverage
        self.model = model
        self.use_score = use_score and model is not None
        self.possible = possible_pairs(coverage)

    @torch.no_grad()
    def forward(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        terms: SoftmaxTerms | None = None,
    ) -> Tensor:
        r"""Returns the evidence, of shape :obj:`[B, len(names)]`, without
        checks.
        """
        triples = head_index, rel_type, tail_index
        columns = self._semantic(head_index, tail_index)
        columns += self._structural(*triples)
        if self.use_score:
            columns += self._score(*triples, terms)
        return torch.stack([column.double() for column in columns], dim=1)

    @property
    def names(self) -> list[tuple[str, str]]:
        r"""The family and the name of each column."""
        ends = ("head", "tail")
        names = [("semantic", f"rarity of {end}") for end in ends]
        if isinstance(self.model, GaussianKGEModel):
            names += [("semantic", f"variance of {end}") for end in ends]
        for end in ends:
            for role in ("its", "the other", "either"):
                names.append(("structural", f"few times {end} in {role} role"))
            names.append(("structural", f"{end} not possible"))
        if self.use_score:
            names += [("score", "low score")]
            names += [("score", f"improbable {end}") for end in ends]
            if isinstance(self.model, GaussianKGEModel):
                names += [("score", "variance of the score")]
        return names

    def _semantic(self, head: Tensor, tail: Tensor) -> list[Tensor]:
        frequency = self.coverage._frequency()
        columns = [-frequency.take(e).double().log1p() for e in (head, tail)]
        if isinstance(self.model, GaussianKGEModel):
            variance = self.model.posterior.mean_variance
            columns += [variance(e).log() for e in (head, tail)]
        return columns

    def _structural(
        self, head: Tensor, rel: Tensor, tail: Tensor
    ) -> list[Tensor]:
        columns = []
        for role, entity in (("head", head), ("tail", tail)):
            counts = self.coverage._counts(entity, rel)
            in_role, in_other = counts if role == "head" else counts[::-1]
            for count in (in_role, in_other, in_role + in_other):
                columns.append(-count.double().log1p())
            pairs = cast(PossiblePairs, self.possible[role])
            columns.append(1 - pairs.probability(entity, rel, in_role > 0))
        return columns

    def _score(
        self,
        head: Tensor,
        rel: Tensor,
        tail: Tensor,
        terms: SoftmaxTerms | None,
    ) -> list[Tensor]:
        assert self.model is not None
        columns = [-score_triples(self.model, head, rel, tail)]
        terms = terms or softmax_terms(self.model, head, rel, tail)
        columns += [-terms.head.log_prob(), -terms.tail.log_prob()]
        if isinstance(self.model, GaussianKGEModel):
            variance = self.model.score_variance(head, rel, tail)
            columns.append(variance.clamp(min=1e-30).log())
        return columns
