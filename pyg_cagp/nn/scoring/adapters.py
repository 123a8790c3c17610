r"""Wrappers that make scorers of functions and of models of other packages."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch_geometric.nn.kge import ComplEx, DistMult, KGEModel

from pyg_cagp.typing import Side

#: The largest number of triples in one call of a function of triples.
MAX_TRIPLES = 2**16


class Adapter(torch.nn.Module):
    r"""A base class of wrappers that make scorers of models."""

    model: Any

    def __init__(
        self, model: Callable[..., Any], num_nodes: int, num_relations: int
    ) -> None:
        super().__init__()
        self.model = model
        self.num_nodes = num_nodes
        self.num_relations = num_relations

    @abstractmethod
    def score(self, side: Side, given: Tensor, rel_type: Tensor) -> Tensor:
        r"""Scores all candidates of one side."""

    def score_tails(self, head_index: Tensor, rel_type: Tensor) -> Tensor:
        r"""Scores all entities as tails."""
        return self.score("tail", head_index, rel_type)

    def score_heads(self, rel_type: Tensor, tail_index: Tensor) -> Tensor:
        r"""Scores all entities as heads."""
        return self.score("head", tail_index, rel_type)

    def forward(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the score of each triple."""
        return self.model(head_index, rel_type, tail_index)

    def __repr__(self) -> str:
        return repr(self.model)


class OfDistMult(Adapter):
    r"""PyG's DistMult."""

    def score(self, side: Side, given: Tensor, rel_type: Tensor) -> Tensor:
        r"""Scores all candidates by one matrix product."""
        query = self.model.node_emb(given) * self.model.rel_emb(rel_type)
        return query @ self.model.node_emb.weight.t()


class OfComplEx(Adapter):
    r"""PyG's ComplEx."""

    def score(self, side: Side, given: Tensor, rel_type: Tensor) -> Tensor:
        r"""Scores all candidates by one matrix product."""
        model = self.model
        given_re, given_im = model.node_emb(given), model.node_emb_im(given)
        rel_re, rel_im = model.rel_emb(rel_type), model.rel_emb_im(rel_type)
        # Heads are scored with the conjugate of the relation.
        sign = 1 if side == "tail" else -1
        query_re = given_re * rel_re - sign * given_im * rel_im
        query_im = given_im * rel_re + sign * given_re * rel_im
        nodes = [model.node_emb.weight, model.node_emb_im.weight]
        return torch.cat([query_re, query_im], 1) @ torch.cat(nodes, 1).t()


class OfTriples(Adapter):
    r"""A function of triples, which is called for each candidate."""

    def score(self, side: Side, given: Tensor, rel_type: Tensor) -> Tensor:
        r"""Scores all candidates, some triples at a time."""
        num = given.numel() * self.num_nodes
        parts = []
        for start in range(0, num, MAX_TRIPLES):
            stop = min(start + MAX_TRIPLES, num)
            place = torch.arange(start, stop, device=given.device)
            query = place // self.num_nodes
            ends = (given[query], place % self.num_nodes)
            head, tail = ends if side == "tail" else ends[::-1]
            parts.append(self.model(head, rel_type[query], tail))
        if not parts:
            return torch.empty((0, self.num_nodes), device=given.device)
        return torch.cat(parts).view(-1, self.num_nodes)


class OfPyKEEN(Adapter):
    r"""A PyKEEN model, with inverse relations or without."""

    def score(self, side: Side, given: Tensor, rel_type: Tensor) -> Tensor:
        r"""Scores all candidates as PyKEEN's evaluators do."""
        if side == "tail":
            return self.model.predict_t(torch.stack([given, rel_type], 1))
        return self.model.predict_h(torch.stack([rel_type, given], 1))

    def forward(
        self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor
    ) -> Tensor:
        r"""Returns the score of each triple."""
        columns = [head_index, rel_type, tail_index]
        return self.model.predict_hrt(torch.stack(columns, 1))[:, 0]


def adapter_of(model: Any) -> Adapter | None:
    r"""Returns a model of PyG or PyKEEN as a scorer, :obj:`None` for others."""
    if isinstance(model, KGEModel):
        # By exact type, since a subclass may have another score.
        adapters = {DistMult: OfDistMult, ComplEx: OfComplEx}
        adapter = adapters.get(type(model), OfTriples)
        return adapter(model, model.num_nodes, model.num_relations)
    if hasattr(model, "predict_t") and hasattr(model, "predict_h"):
        return OfPyKEEN(model, model.num_entities, model.num_real_relations)
    return None
