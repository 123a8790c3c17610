r"""Scores and doubts of one forward pass, where microseconds count."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.nn.kge import KGEModel

from pyg_cagp.data.checks import check_ids, check_same_shape
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.serving.tables import add_semantic, lay_out, pair_tables
from pyg_cagp.typing import Role
from pyg_cagp.uncertainty.base import check_type
from pyg_cagp.uncertainty.cagp import SimpleAverage
from pyg_cagp.uncertainty.structural import StructuralUncertainty


class ScoreWithDoubt(NamedTuple):
    r"""What a served model says of triples."""

    score: Tensor
    doubt: Tensor


class ServedModel(Module):
    r"""A model whose forward pass returns the doubt about each triple with its
    score.

    Both parts of CAGP are sums over the two ends of a triple, of a number that
    only the entity, its role and the relation decide:

    .. math::
        U(h, r, t) = u_{\text{head}}(h, r) + u_{\text{tail}}(t, r), \quad
        u(e, r) = (1 - \alpha) \left( 1 - c(e, r) \right) +
        \frac{\alpha}{2} \tilde{\sigma}^2_e

    All of them are computed once, into one number for every pair of an entity
    and a relation. Then a doubt costs two reads, whichever estimator it is
    from. The model's own look-up of embeddings refuses unknown ids, so nothing
    is checked twice. On a CPU the error says which id it was; on a GPU it is
    that of PyTorch. If the model knows inverse relations, so does the table:
    the doubt about :math:`(t, r^{-1}, h)` is that about :math:`(h, r, t)`.

    The table holds what the estimator says now. Make a new one after the model
    was trained on, or after its coverage was updated.

    Args:
        model (torch_geometric.nn.kge.KGEModel): The model that scores triples.
        doubt (StructuralUncertainty, SimpleAverage or CAGP): The estimator,
            fitted. If its semantic part takes the larger of two variances,
            which is not a sum over ends, two reads more are needed.
        max_bytes (int, optional): The largest table that is made.
            (default: :obj:`2**30`)

    Example:
        >>> from pyg_cagp import Coverage, GaussianDistMult
        >>> edge_index = torch.tensor([[0, 0, 1], [1, 2, 2]])
        >>> edge_type = torch.tensor([0, 0, 1])
        >>> cov = Coverage.from_edges(edge_index, edge_type, 3, 2)
        >>> model = GaussianDistMult(3, 2, hidden_channels=8)
        >>> served = ServedModel(model, StructuralUncertainty(cov))
        >>> head, rel = torch.tensor([0, 1]), torch.tensor([1, 0])
        >>> score, doubt = served(head, rel, torch.tensor([2, 2]))
        >>> doubt
        tensor([1., 0.])
    """

    pair: Tensor
    entity: Tensor | None

    def __init__(
        self,
        model: KGEModel,
        doubt: StructuralUncertainty | SimpleAverage,
        max_bytes: int = 2**30,
    ) -> None:
        super().__init__()
        check_type("model", model, KGEModel)
        check_type("doubt", doubt, StructuralUncertainty, SimpleAverage)
        doubt.check_fitted()
        sizes = model.num_nodes, model.num_relations
        if sizes != (doubt.num_nodes, doubt.num_relations):
            raise InvalidInputError(
                f"'model' and 'doubt' must be of one graph (got {sizes} and "
                f"{(doubt.num_nodes, doubt.num_relations)} entities and "
                f"relations)"
            )
        self.model = model
        inverses = model.rel_emb.num_embeddings != model.num_relations
        roles: dict[Role, Tensor]
        if isinstance(doubt, SimpleAverage):
            dtype, structural = torch.float, doubt.structural
            roles = pair_tables(structural, dtype, inverses, max_bytes)
            roles, entity = add_semantic(doubt, roles)
        else:
            whole = doubt.view in ("binary", "directed")
            dtype = torch.uint8 if whole else torch.float
            roles = pair_tables(doubt, dtype, inverses, max_bytes)
            entity = None
        table, self.tail_offset = lay_out(roles, inverses)
        self.width = table.size(1)
        device = model.node_emb.weight.device
        self.register_buffer(
            "pair", table.flatten().to(device), persistent=False
        )
        self.register_buffer(
            "entity",
            None if entity is None else entity.to(device),
            persistent=False,
        )

    def forward(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> ScoreWithDoubt:
        r"""Returns the score of each triple and the doubt about it.

        Args:
            head_index (torch.Tensor): The head indices, of any shape.
            rel_type (torch.Tensor): The relation types, inverse ones too if
                the model has them.
            tail_index (torch.Tensor): The tail indices.
        """
        try:
            if not head_index.shape == rel_type.shape == tail_index.shape:
                self._check(head_index, rel_type, tail_index)
            score = self.model(head_index, rel_type, tail_index)
        except (AttributeError, IndexError, RuntimeError, TypeError):
            self._check(head_index, rel_type, tail_index)
            raise
        return ScoreWithDoubt(
            score, self._doubt(head_index, rel_type, tail_index)
        )

    def _doubt(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        # Of ids that are known to be valid: others would read another cell.
        if head_index.dim() != 1:
            flat = (
                part.reshape(-1) for part in (head_index, rel_type, tail_index)
            )
            return self._doubt(*flat).view(head_index.shape)
        rel_type = rel_type.long()  # Pairs can be too many for shorter ints.
        head = torch.add(rel_type, head_index, alpha=self.width)
        tail = torch.add(rel_type, tail_index, alpha=self.width)
        if self.tail_offset:
            tail += self.tail_offset
        pair, entity = self.pair, self.entity
        doubt = pair.index_select(0, head)
        doubt += pair.index_select(0, tail)
        if entity is not None:
            doubt += torch.maximum(
                entity.index_select(0, head_index),
                entity.index_select(0, tail_index),
            )
        return doubt if doubt.is_floating_point() else doubt.float()

    def _check(self, head: Tensor, rel: Tensor, tail: Tensor) -> None:
        nodes = self.model.num_nodes, "num_nodes"
        relations = self.model.rel_emb.num_embeddings, "num_relations"
        check_same_shape(
            head_index=check_ids("head_index", head, *nodes),
            rel_type=check_ids("rel_type", rel, *relations),
            tail_index=check_ids("tail_index", tail, *nodes),
        )

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.model})"
