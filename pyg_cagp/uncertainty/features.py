r"""All evidence about a triple, each piece higher for more doubt."""

import torch
from torch import Tensor

from pyg_cagp.coverage import Coverage
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.nn.scoring import softmax_terms
from pyg_cagp.nn.scoring.scorer import ScorerLike, as_scorer, score_triples
from pyg_cagp.uncertainty.base import check_type
from pyg_cagp.uncertainty.possible import PossiblePairs

#: The families of evidence, in their order.
FAMILIES = ("semantic", "structural", "score")


class Evidence:
    r"""Collects what a graph and a model know about triples.

    * *semantic*, of each end: the negative logarithm of its frequency, and the
      logarithm of its mean variance;
    * *structural*, of each end: the negative logarithm of its count in its own
      role, in the other one and in either, and the probability that the pair is
      not possible;
    * *score*: the negative score, the negative log-probability of the tail
      among all tails and of the head among all heads, and the logarithm of the
      variance of the score.

    Args:
        coverage (Coverage): The coverage of the training triples.
        model (Scorer or callable, optional): The model; variances need a
            Gaussian one. (default: :obj:`None`)
        use_score (bool, optional): If set to :obj:`False`, leaves out what
            depends on scores. (default: :obj:`True`)

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
        use_score: bool = True,
    ) -> None:
        check_type("coverage", coverage, Coverage)
        if model is not None:
            model = as_scorer(model)
            sizes = [(x.num_nodes, x.num_relations) for x in (model, coverage)]
            if sizes[0] != sizes[1]:
                raise InvalidInputError(
                    f"'model' and 'coverage' must be of one graph (got "
                    f"{sizes[0]} and {sizes[1]} entities and relations)"
                )
        self.coverage = coverage
        self.model = model
        self.use_score = use_score and model is not None
        self.possible = {
            "head": PossiblePairs(coverage, "head"),
            "tail": PossiblePairs(coverage, "tail"),
        }

    @torch.no_grad()
    def __call__(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Returns the evidence, of shape :obj:`[B, len(names)]`."""
        columns = [
            *self._semantic(head, tail),
            *self._structural(head, rel, tail),
            *(self._score(head, rel, tail) if self.use_score else []),
        ]
        return torch.stack([column.double() for column in columns], dim=1)

    @property
    def names(self) -> list[tuple[str, str]]:
        r"""The family and the name of each column."""
        ends = ("head", "tail")
        found = [("semantic", f"rarity of {end}") for end in ends]
        if isinstance(self.model, GaussianKGEModel):
            found += [("semantic", f"variance of {end}") for end in ends]
        for end in ends:
            found += [
                ("structural", f"few times {end} in its role"),
                ("structural", f"few times {end} in the other role"),
                ("structural", f"few times {end} in either role"),
                ("structural", f"{end} not possible"),
            ]
        if self.use_score:
            found += [("score", "low score")]
            found += [("score", f"improbable {end}") for end in ends]
            if isinstance(self.model, GaussianKGEModel):
                found += [("score", "variance of the score")]
        return found

    def _semantic(self, head: Tensor, tail: Tensor) -> list[Tensor]:
        frequency = self.coverage.frequency()
        found = [-frequency[e].double().log1p() for e in (head, tail)]
        if isinstance(self.model, GaussianKGEModel):
            found += [self.model.mean_variance(e).log() for e in (head, tail)]
        return found

    def _structural(
        self, head: Tensor, rel: Tensor, tail: Tensor
    ) -> list[Tensor]:
        found = []
        for entity, own, other in (
            (head, "head", "tail"),
            (tail, "tail", "head"),
        ):
            for role in (own, other, "any"):
                count = self.coverage.count(entity, rel, role)  # type: ignore[arg-type]
                found.append(-count.double().log1p())
            found.append(1 - self.possible[own](entity, rel))
        return found

    def _score(self, head: Tensor, rel: Tensor, tail: Tensor) -> list[Tensor]:
        assert self.model is not None
        found = [-score_triples(self.model, head, rel, tail)]
        terms = softmax_terms(self.model, head, rel, tail)
        found += [-terms.head.log_prob(), -terms.tail.log_prob()]
        if isinstance(self.model, GaussianKGEModel):
            variance = self.model.score_variance(head, rel, tail)
            found.append(variance.clamp(min=1e-30).log())
        return found
