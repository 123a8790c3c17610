r"""The base class of models that predict the confidence of triples."""

from abc import abstractmethod

import torch
from torch import Tensor

from pyg_cagp._utils.checks import check_least
from pyg_cagp.data import TripleIndex
from pyg_cagp.nn.kge.query import QueryKGEModel


class ConfidenceKGEModel(QueryKGEModel):
    r"""A base class for models that predict the confidence of a triple, in
    :math:`[0, 1]`. The targets of training are the confidences of a graph, or 1
    for a graph without confidences. Corrupted triples have the target 0.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int): The hidden embedding size.
        num_negatives (int, optional): The number of corrupted triples of each
            triple, half of them with another head. (default: :obj:`10`)
        sparse (bool, optional): If set to :obj:`True`, gradients w.r.t. the
            embedding matrices will be sparse. (default: :obj:`False`)
        seed (int, optional): The seed of corruption. (default: :obj:`0`)
    """

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        hidden_channels: int,
        *,
        num_negatives: int = 10,
        sparse: bool = False,
        seed: int = 0,
    ) -> None:
        check_least("num_negatives", num_negatives, 2)
        super().__init__(
            num_nodes, num_relations, hidden_channels, sparse=sparse
        )
        self.num_negatives = num_negatives
        self.seed = seed

    @abstractmethod
    def confidence(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the confidence of each triple, in :math:`[0, 1]`."""

    @abstractmethod
    def errors(self, score: Tensor, target: Tensor, wrong: Tensor) -> Tensor:
        r"""Returns the mean error of a batch.

        Args:
            score (torch.Tensor): The scores of triples.
            target (torch.Tensor): Their confidences.
            wrong (torch.Tensor): The scores of corrupted triples.
        """

    def penalty(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor | float:
        r"""Returns the regularisation term of a batch, by default 0."""
        return 0.0

    def loss(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        *,
        confidence: Tensor | None = None,
        known: TripleIndex | None = None,
    ) -> Tensor:
        r"""Returns the loss of a batch of triples.

        Args:
            head_index (torch.Tensor): The head indices.
            rel_type (torch.Tensor): The relation type.
            tail_index (torch.Tensor): The tail indices.
            confidence (torch.Tensor, optional): Their confidences; all 1 if
                set to :obj:`None`. (default: :obj:`None`)
            known (TripleIndex, optional): True triples; see :meth:`corrupt`.
                (default: :obj:`None`)
        """
        batch = head_index, rel_type, tail_index
        score = self(*batch)
        target = torch.ones_like(score) if confidence is None else confidence
        wrong = self(*self.corrupt(*batch, known=known))
        return self.errors(score, target, wrong) + self.penalty(*batch)

    def corrupt(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        *,
        known: TripleIndex | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        r"""Returns corrupted triples, of shape :obj:`[2, n, B]`: first those
        with another head, then those with another tail. A corrupted triple
        that is :obj:`known` is drawn again, at most three times.
        """
        if self.generator is None:
            self.generator = torch.Generator(head_index.device)
            self.generator.manual_seed(self.seed)
        shape = (self.num_negatives // 2, head_index.numel())
        head, rel, tail = (
            part.expand(2, *shape).clone()
            for part in (head_index, rel_type, tail_index)
        )
        redraw = torch.ones((2, *shape), dtype=torch.bool, device=head.device)
        for _ in range(4 if known is not None else 1):
            drawn = self.draw_nodes(redraw.shape, head.device)
            head[0] = torch.where(redraw[0], drawn[0], head[0])
            tail[1] = torch.where(redraw[1], drawn[1], tail[1])
            if known is not None:
                redraw = known.contains(head, rel, tail)
                if not bool(redraw.any()):
                    break
        return head, rel, tail
