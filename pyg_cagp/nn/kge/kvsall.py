r"""A full softmax whose scores are shared by all triples of a query."""

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from pyg_cagp.nn.kge.draw import Draws, Moments
from pyg_cagp.nn.kge.query import SIDES
from pyg_cagp.typing import Side

if TYPE_CHECKING:
    from pyg_cagp.nn.kge.base import GaussianKGEModel


class QueryBatch(NamedTuple):
    r"""Distinct queries of one side, and the training answers of each.

    Args:
        side (str): The side to answer, :obj:`"tail"` or :obj:`"head"`.
        given (torch.Tensor): The entities of the other side, of shape
            :obj:`[B]`.
        rel_type (torch.Tensor): The relation types, of shape :obj:`[B]`.
        row (torch.Tensor): The query of each answer, of shape :obj:`[M]`.
        answer (torch.Tensor): The answers, of shape :obj:`[M]`. An answer that
            is listed twice counts twice.
    """

    side: Side
    given: Tensor
    rel_type: Tensor
    row: Tensor
    answer: Tensor

    @classmethod
    def group(
        cls, side: Side, given: Tensor, rel_type: Tensor, answer: Tensor
    ) -> "QueryBatch":
        r"""Groups triples by query.

        Args:
            side (str): The side to answer.
            given (torch.Tensor): The entity of the other side of each triple.
            rel_type (torch.Tensor): The relation type of each triple.
            answer (torch.Tensor): The answer of each triple.

        Example:
            >>> head, rel, tail = torch.tensor([[3, 3], [0, 0], [1, 2]])
            >>> QueryBatch.group("tail", head, rel, tail).given
            tensor([3])
        """
        pairs, row = torch.stack([rel_type, given]).unique(
            dim=1, return_inverse=True
        )
        return cls(side, pairs[1], pairs[0], row, answer)

    def first(self) -> tuple[Tensor, Tensor, Tensor]:
        r"""Returns the head, the relation and the tail of the first answer."""
        # Slices: to index by one number, the host would wait for it.
        row, answer = self.row[:1], self.answer[:1]
        given = self.given[row]
        head, tail = (given, answer) if self.side == "tail" else (answer, given)
        return head, self.rel_type[row], tail


class KvsAll:
    r"""A softmax over all entities for each distinct query, in both
    directions.

    .. math::
        - \sum_{(h, r)} \sum_t n_{hrt} \log \textrm{softmax}_t \, d(h, r, t)
        - \sum_{(r, t)} \sum_h n_{hrt} \log \textrm{softmax}_h \, d(h, r, t),

    where :math:`n_{hrt}` is how often a triple stands in the batch. It is the
    sum of the cross-entropies of all triples. Triples that share a query share
    its scores, as in the `"You CAN Teach an Old Dog New Tricks! On Training
    Knowledge Graph Embeddings" <https://openreview.net/forum?id=BkxSmlBFvr>`_
    paper, whose KvsAll is this loss with equal weights for all queries.

    A :class:`~pyg_cagp.train.Trainer` makes batches of distinct queries of the
    whole graph. :meth:`GaussianKGEModel.loss` groups the triples of its batch.
    """

    def negatives(
        self,
        model: "GaussianKGEModel",
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
    ) -> Tensor:
        r"""Returns all entities."""
        return torch.arange(model.num_nodes, device=head_index.device)

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
        nodes = drawn.other if drawn.moments is None else drawn.moments[2]
        ends = (head_index, tail_index), (tail_index, head_index)
        for side, (given, answer) in zip(SIDES, ends, strict=True):
            batch = QueryBatch.group(side, given, rel_type, answer)
            total = total + self.nll(model, batch, nodes)
        return total / rel_type.numel()

    def nll(
        self,
        model: "GaussianKGEModel",
        batch: QueryBatch,
        nodes: Tensor | Moments,
    ) -> Tensor:
        r"""Returns the negative log-likelihood of a batch of queries, summed
        over answers.

        Args:
            model (GaussianKGEModel): The model.
            batch (QueryBatch): The queries.
            nodes (torch.Tensor or Moments): One draw of each entity, of shape
                :obj:`[num_nodes, channels]`, or the moments of all entities.
        """
        logits, excess = model.query_logits(batch, nodes)
        # Sums over many candidates lose too much in half precision.
        loss = _SoftmaxLoss.apply(logits.float(), batch.row, batch.answer)
        return loss if excess is None else loss + excess

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}()"


class _SoftmaxLoss(Function):
    r"""The sum of cross-entropies of answers whose scores share rows.

    The scores are overwritten by their gradient, so the loss needs no second
    matrix of their size.
    """

    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, row: Tensor, answer: Tensor
    ) -> Tensor:
        r"""Returns the sum over answers of log sum exp minus the score."""
        true = scores[row, answer]
        count = torch.zeros_like(scores[:, 0])
        count.index_add_(0, row, torch.ones_like(true))
        largest = scores.amax(dim=1)
        weight = scores.sub_(largest[:, None]).exp_()
        total = weight.sum(dim=1)
        loss = (count * (total.log() + largest)).sum() - true.sum()
        weight.mul_((count / total)[:, None])
        place = row * scores.size(1) + answer
        weight.view(-1).index_add_(0, place, -torch.ones_like(true))
        ctx.save_for_backward(weight)
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by_loss: Tensor) -> tuple[Tensor | None, ...]:
        r"""Returns the gradient by scores."""
        (weight,) = ctx.saved_tensors
        return weight * by_loss, None, None
