r"""Training objectives with many negatives."""

import math
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from pyg_cagp._utils.checks import check_least
from pyg_cagp.data.answer_index import AnswerIndex, expand_ranges
from pyg_cagp.nn.kge.draw import Draws, SideScores
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.typing import Side

if TYPE_CHECKING:
    from pyg_cagp.nn.kge.base import GaussianKGEModel


class SampledSoftmax:
    r"""A softmax over candidates that the triples of a batch share.

    The tail of a triple competes with :obj:`num_negatives` entities drawn
    uniformly, and so does its head. Scores of negatives are raised by
    :math:`\log \frac{|\mathcal{E}|}{K}`, so that the sum over candidates is
    unbiased, as in the `"On Using Very Large Target Vocabulary for Neural
    Machine Translation" <https://arxiv.org/abs/1412.2007>`_ paper.

    Args:
        num_negatives (int, optional): The number :math:`K` of negatives.
            (default: :obj:`512`)
        known (AnswerIndex, optional): Triples known to be true. A negative that
            forms one of them is left out. (default: :obj:`None`)
    """

    def __init__(
        self, *, num_negatives: int = 512, known: AnswerIndex | None = None
    ) -> None:
        check_least("num_negatives", num_negatives, 1)
        self.num_negatives = num_negatives
        self.known = known

    def negatives(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> Tensor:
        r"""Draws the negatives that a batch shares."""
        shape = (self.num_negatives,)
        return model.draw_nodes(shape, head_index.device)

    def draw(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        other: Tensor,
    ) -> tuple[Draws, Tensor]:
        r"""Draws the entities of a batch."""
        return model.draw(head_index, tail_index, other)

    def __call__(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        other: Tensor,
        drawn: Draws,
    ) -> Tensor:
        r"""Returns the mean negative log-likelihood of a batch of triples."""
        total = drawn.other.new_zeros(())
        ends = (head_index, tail_index), (tail_index, head_index)
        for side, (given, answer) in zip(SIDES, ends, strict=True):
            scores = model.side_scores(side, rel_type, drawn)
            hits = self.find_answers(side, given, rel_type, answer, other)
            total = total + self.nll(scores, hits, model.num_nodes)
        return total

    def find_answers(
        self,
        side: Side,
        given: Tensor,
        rel_type: Tensor,
        answer: Tensor,
        other: Tensor,
    ) -> Tensor:
        r"""Returns a mask of the negatives of each triple that are answers, of
        shape :obj:`[B, K]`.
        """
        # Half the bytes: a search would make the host wait for its size.
        hits = answer.int()[:, None] == other.int()
        if self.known is None:
            return hits
        known = self.known.to(given.device)
        row, answer = known.find(side, given, rel_type)
        in_order, order = other.sort()
        first = torch.searchsorted(in_order, answer)
        count = torch.searchsorted(in_order, answer, right=True) - first
        # Negatives are drawn with replacement, so one may occur twice.
        each, place = expand_ranges(first, count)
        hits[row[each], order[place]] = True
        return hits

    def nll(self, scores: SideScores, hits: Tensor, num_nodes: int) -> Tensor:
        r"""Returns the mean loss of one direction.

        Args:
            scores (SideScores): The scores of answers and negatives. Those of
                negatives are overwritten.
            hits (torch.Tensor): The result of :meth:`find_answers`.
            num_nodes (int): The number of candidates that negatives represent.
        """
        other = scores.other
        # Sums over many candidates lose too much in half precision.
        if other.dtype in (torch.bfloat16, torch.float16):
            other = other.float()
        # Not -inf, since all negatives of a query may be answers. Without
        # autograd: the slope at such a score is 0.
        other.detach().masked_fill_(hits, -1e30)
        shift = math.log(num_nodes / self.num_negatives)
        total = torch.logaddexp(other.logsumexp(dim=1) + shift, scores.answer)
        return (total - scores.true).mean()

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.num_negatives})"


class SelfAdversarial(SampledSoftmax):
    r"""A binary loss with larger weights for hard negatives, from the
    `"RotatE: Knowledge Graph Embedding by Relational Rotation in Complex
    Space" <https://arxiv.org/abs/1902.10197>`_ paper.

    .. math::
        - \log \sigma(d) - \sum_k w_k \log \sigma(-d_k), \quad
        w_k = \textrm{softmax}_k (\tau d_k)

    No gradient flows through the weights. This is a ranking loss, not a
    likelihood.

    Args:
        num_negatives (int, optional): The number of negatives.
            (default: :obj:`512`)
        known (AnswerIndex, optional): Triples known to be true. A negative that
            forms one of them is left out. (default: :obj:`None`)
        temperature (float, optional): The factor :math:`\tau` of hard
            negatives. (default: :obj:`1.0`)
    """

    def __init__(
        self,
        *,
        num_negatives: int = 512,
        known: AnswerIndex | None = None,
        temperature: float = 1.0,
    ) -> None:
        super().__init__(num_negatives=num_negatives, known=known)
        check_least("temperature", temperature, 0)
        self.temperature = temperature

    def nll(self, scores: SideScores, hits: Tensor, num_nodes: int) -> Tensor:
        r"""Returns the mean loss of one direction."""
        weight = self.temperature * scores.other.detach()
        weight = weight.masked_fill_(hits, -1e30).softmax(dim=1)
        weight = weight.masked_fill_(hits, 0)
        false = (weight * F.softplus(scores.other)).sum(dim=1)
        return (F.softplus(-scores.true) + false).mean()
