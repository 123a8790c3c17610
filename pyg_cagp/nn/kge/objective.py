r"""Likelihoods of triples, by which embeddings are trained."""

import math
from typing import TYPE_CHECKING, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from pyg_cagp.data.checks import check_choice
from pyg_cagp.exceptions import InvalidInputError

if TYPE_CHECKING:
    from pyg_cagp.nn.kge.base import GaussianKGEModel


class Objective(Protocol):
    r"""Anything that gives the negative log-likelihood of a batch, per triple,
    at one draw from the posterior.
    """

    def __call__(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> Tensor:
        r"""Returns the mean negative log-likelihood of a batch of triples."""


class SampledSoftmax:
    r"""A softmax over candidates that a whole batch shares, in both directions.

    The tail of a triple competes with :obj:`num_negatives` entities drawn
    uniformly, and so does its head. Scores of negatives are raised by
    :math:`\log \frac{|\mathcal{E}|}{K}`, so that :math:`K` of them stand for
    all and the sum over candidates is unbiased (as in the `"On Using Very Large
    Target Vocabulary for Neural Machine Translation"
    <https://arxiv.org/abs/1412.2007>`_ paper); a negative that happens to be
    the answer is left out.

    Args:
        num_negatives (int, optional): The number :math:`K` of negatives.
            (default: :obj:`512`)
    """

    def __init__(self, num_negatives: int = 512) -> None:
        if num_negatives < 1:
            raise InvalidInputError(
                f"'num_negatives' must be positive (got {num_negatives})"
            )
        self.num_negatives = num_negatives

    def __call__(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> Tensor:
        r"""Returns the mean negative log-likelihood of a batch of triples."""
        other = torch.randint(
            model.num_nodes,
            (self.num_negatives,),
            generator=model.generator,
            device=head_index.device,
        )
        head, tail = model.sample(head_index), model.sample(tail_index)
        rel, negative = model.rel_emb(rel_type), model.sample(other)
        true = model.interaction(head, rel, tail)
        tails = model.score_all_tails(head, rel, negative)
        heads = model.score_all_heads(negative, rel, tail)
        shift = math.log(model.num_nodes / self.num_negatives)
        total = true.new_zeros(())
        for answer, scores in ((tail_index, tails), (head_index, heads)):
            hit = answer[:, None] == other
            scores = (scores + shift).masked_fill(hit, -math.inf)
            scores = torch.cat([true[:, None], scores], dim=1)
            total = total + (scores.logsumexp(dim=1) - true).mean()
        return total

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.num_negatives})"


class OneNegative:
    r"""One false triple for each true one, as in PyG's models and in the
    paper: a random head or a random tail, told apart by cross-entropy or by a
    margin.

    Args:
        kind (str, optional): :obj:`"bce"` for binary cross-entropy or
            :obj:`"margin"` for a ranking loss. (default: :obj:`"bce"`)
        margin (float, optional): The margin of the ranking loss.
            (default: :obj:`1.0`)
    """

    def __init__(self, kind: str = "bce", margin: float = 1.0) -> None:
        check_choice("kind", kind, ("bce", "margin"))
        self.kind = kind
        self.margin = margin

    def __call__(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> Tensor:
        r"""Returns the mean loss of a batch of triples."""
        false_head, _, false_tail = model.random_sample(
            head_index, rel_type, tail_index
        )
        rel = model.rel_emb(rel_type)
        true = model.interaction(
            model.sample(head_index), rel, model.sample(tail_index)
        )
        false = model.interaction(
            model.sample(false_head), rel, model.sample(false_tail)
        )
        if self.kind == "margin":
            return F.relu(self.margin - true + false).mean()
        return (F.softplus(-true) + F.softplus(false)).mean()

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.kind!r})"
