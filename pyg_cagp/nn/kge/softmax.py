r"""Training objectives with many negatives."""

import math
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from pyg_cagp._utils.checks import check_least
from pyg_cagp.data.answer_index import AnswerIndex, expand_ranges
from pyg_cagp.nn.kge.draw import Draws
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
        side: Side
        for side, given, answer, given_emb, answer_emb in (
            ("tail", head_index, tail_index, drawn.head, drawn.tail),
            ("head", tail_index, head_index, drawn.tail, drawn.head),
        ):
            true = model.score_answer(side, given_emb, rel_type, answer_emb)
            query = side, given_emb, rel_type
            scores = model.score_candidates(*query, drawn.other)
            hits = self.find_answers(side, given, rel_type, answer, other)
            total = total + self.nll(true, scores, hits, model.num_nodes)
        return total

    def find_answers(
        self,
        side: Side,
        given: Tensor,
        rel_type: Tensor,
        answer: Tensor,
        other: Tensor,
    ) -> tuple[Tensor, Tensor]:
        r"""Returns the rows and columns at which a negative is an answer. They
        are few, so a search is faster than a comparison of all pairs.
        """
        row = torch.arange(answer.numel(), device=answer.device)
        if self.known is not None:
            known = self.known.to(given.device)
            more_rows, more_answers = known.find(side, given, rel_type)
            row = torch.cat([row, more_rows])
            answer = torch.cat([answer, more_answers])
        in_order, order = other.sort()
        first = torch.searchsorted(in_order, answer)
        count = torch.searchsorted(in_order, answer, right=True) - first
        # Negatives are drawn with replacement, so one may occur twice.
        each, place = expand_ranges(first, count)
        return row[each], order[place]

    def nll(
        self,
        true: Tensor,
        scores: Tensor,
        hits: tuple[Tensor, Tensor],
        num_nodes: int,
    ) -> Tensor:
        r"""Returns the mean loss of one direction.

        Args:
            true (torch.Tensor): The scores of answers, of shape :obj:`[B]`.
            scores (torch.Tensor): The scores of negatives, of shape
                :obj:`[B, K]`, which are overwritten.
            hits (tuple): The result of :meth:`find_answers`.
            num_nodes (int): The number of candidates that negatives represent.
        """
        # Sums over many candidates lose too much in half precision.
        if scores.dtype in (torch.bfloat16, torch.float16):
            scores = scores.float()
        # Not -inf, since all negatives of a query may be answers.
        scores[hits] = -1e30
        shift = math.log(num_nodes / self.num_negatives)
        total = torch.logaddexp(scores.logsumexp(dim=1) + shift, true)
        return (total - true).mean()

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

    def nll(
        self,
        true: Tensor,
        scores: Tensor,
        hits: tuple[Tensor, Tensor],
        num_nodes: int,
    ) -> Tensor:
        r"""Returns the mean loss of one direction."""
        weight = self.temperature * scores.detach()
        weight[hits] = -1e30
        weight = weight.softmax(dim=1)
        weight[hits] = 0
        false = (weight * F.softplus(scores)).sum(dim=1)
        return (F.softplus(-true) + false).mean()


class OneVsAll:
    r"""A softmax over all entities, for tails and for heads.
    :class:`SampledSoftmax` estimates it. A batch has one draw of each entity.

    Args:
        known (AnswerIndex, optional): Triples known to be true. Other known
            answers of a query are left out. (default: :obj:`None`)
    """

    def __init__(self, *, known: AnswerIndex | None = None) -> None:
        self.known = known

    def negatives(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> Tensor:
        r"""Returns all entities."""
        return torch.arange(model.num_nodes, device=head_index.device)

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
        node_emb = drawn.other
        total = node_emb.new_zeros(())
        side: Side
        for side, given, answer in (
            ("tail", head_index, tail_index),
            ("head", tail_index, head_index),
        ):
            scores = model.score_candidates(
                side, node_emb[given], rel_type, node_emb
            )
            if self.known is not None:
                known = self.known.to(given.device)
                row, known_answer = known.find(side, given, rel_type)
                is_other = known_answer != answer[row]
                mask = torch.zeros_like(scores, dtype=torch.bool)
                mask[row[is_other], known_answer[is_other]] = True
                scores = scores.masked_fill(mask, -math.inf)
            total = total + F.cross_entropy(scores, answer)
        return total

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}()"
