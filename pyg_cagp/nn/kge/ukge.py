r"""The uncertain knowledge-graph embedding of Chen et al. (2019)."""

from typing import Literal, TypeAlias

import torch
from torch import Tensor
from torch.nn import Parameter

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.data import TripleIndex
from pyg_cagp.nn.kge.confidence import ConfidenceKGEModel

#: The map from scores to confidences.
Map: TypeAlias = Literal["logistic", "rectified"]


class UKGE(ConfidenceKGEModel):
    r"""The UKGE model from the `"Embedding Uncertain Knowledge Graphs"
    <https://arxiv.org/abs/1811.10667>`_ paper.

    The plausibility :math:`g = \langle \mathbf{e}_h, \mathbf{e}_r,
    \mathbf{e}_t \rangle` becomes a confidence by a logistic or a rectified map,

    .. math::
        f_{\text{logistic}} = \sigma(w g + b), \quad
        f_{\text{rectified}} = \min(\max(w g + b, 0), 1).

    The loss is the squared error of given confidences :math:`s`, of corrupted
    triples, whose target is 0, and of triples that rules have inferred with a
    confidence of at least :math:`s_{\text{PSL}}`:

    .. math::
        \overline{(f - s)^2} + \tfrac{1}{2} \left( \overline{f^2}_{\text{other
        heads}} + \overline{f^2}_{\text{other tails}} \right) + 0.2 \,
        \overline{\max(0, s_{\text{PSL}} - f)^2}

    In training, a penalty on squared embeddings replaces the limits of the
    rectified map. :meth:`forward` returns :math:`w g + b`.

    Args:
        num_nodes (int): The number of nodes/entities in the graph.
        num_relations (int): The number of relations in the graph.
        hidden_channels (int, optional): The hidden embedding size.
            (default: :obj:`128`)
        map (str, optional): :obj:`"logistic"` or :obj:`"rectified"`.
            (default: :obj:`"logistic"`)
        num_negatives (int, optional): The number of corrupted triples of each
            triple. (default: :obj:`10`)
        psl_weight (float, optional): The weight of inferred triples.
            (default: :obj:`0.2`)
        l2_weight (float, optional): The weight of the penalty of the rectified
            map. (default: :obj:`0.005`)
        sparse (bool, optional): If set to :obj:`True`, gradients w.r.t. the
            embedding matrices will be sparse. (default: :obj:`False`)
        seed (int, optional): The seed of corruption. (default: :obj:`0`)

    Example:
        >>> model = UKGE(10, 2, hidden_channels=4)
        >>> zero = torch.zeros(1, dtype=torch.long)
        >>> bool(0 <= model.confidence(zero, zero, zero) <= 1)
        True

    .. note::
        For an example of using this model, see ``examples/confidences.py``.
    """

    def __init__(
        self,
        num_nodes: int,
        num_relations: int,
        hidden_channels: int = 128,
        *,
        map: Map = "logistic",
        num_negatives: int = 10,
        psl_weight: float = 0.2,
        l2_weight: float = 0.005,
        sparse: bool = False,
        seed: int = 0,
    ) -> None:
        check_choice("map", map, Map)
        super().__init__(
            num_nodes,
            num_relations,
            hidden_channels,
            num_negatives=num_negatives,
            sparse=sparse,
            seed=seed,
        )
        self.map = map
        self.psl_weight = psl_weight
        self.l2_weight = l2_weight
        self.slope = Parameter(torch.empty(()))
        self.intercept = Parameter(torch.empty(()))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Resets all learnable parameters of the module."""
        torch.nn.init.xavier_uniform_(self.node_emb.weight)
        torch.nn.init.xavier_uniform_(self.rel_emb.weight)
        torch.nn.init.ones_(self.slope)
        torch.nn.init.zeros_(self.intercept)
        self.generator = None

    def interaction(self, head: Tensor, rel: Tensor, tail: Tensor) -> Tensor:
        r"""Scores embeddings."""
        return self.slope * (head * rel * tail).sum(dim=-1) + self.intercept

    def score_all_tails(
        self, head: Tensor, rel: Tensor, tails: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of tails."""
        return self.slope * ((head * rel) @ tails.t()) + self.intercept

    def score_all_heads(
        self, heads: Tensor, rel: Tensor, tail: Tensor
    ) -> Tensor:
        r"""Scores a batch of queries against one list of heads."""
        return self.score_all_tails(tail, rel, heads)

    def confidence(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the confidence of each triple, in :math:`[0, 1]`."""
        return self._mapped(self(head_index, rel_type, tail_index)).clamp(0, 1)

    def _mapped(self, score: Tensor) -> Tensor:
        return torch.sigmoid(score) if self.map == "logistic" else score

    def errors(self, score: Tensor, target: Tensor, wrong: Tensor) -> Tensor:
        r"""Returns the mean squared errors of a batch."""
        error = (self._mapped(score) - target).square().mean()
        sides = self._mapped(wrong).square().mean(dim=(1, 2))
        return error + sides.sum() / 2

    def loss(
        self,
        head_index: Tensor,
        rel_type: Tensor,
        tail_index: Tensor,
        *,
        confidence: Tensor | None = None,
        known: TripleIndex | None = None,
        inferred: tuple[Tensor, Tensor, Tensor, Tensor] | None = None,
    ) -> Tensor:
        r"""Returns the loss of a batch of triples; see
        :meth:`~pyg_cagp.nn.kge.ConfidenceKGEModel.loss`. The columns of
        :obj:`inferred` are heads, relations, tails and smallest confidences.
        """
        batch = head_index, rel_type, tail_index
        loss = super().loss(*batch, confidence=confidence, known=known)
        if inferred is not None:
            *triples, least = inferred
            short = (least - self._mapped(self(*triples))).clamp(min=0)
            loss = loss + self.psl_weight * short.square().mean()
        if self.map == "rectified":
            parts = (
                self.embed(head_index),
                self.embed_rel(rel_type),
                self.embed(tail_index),
            )
            squares = [part.square().sum(-1).mean() for part in parts]
            loss = loss + self.l2_weight * sum(squares)
        return loss
