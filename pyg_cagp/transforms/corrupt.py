r"""False triples, made by replacing a part of true ones."""

from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import BaseTransform

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import TripleIndex, as_kg
from pyg_cagp.data.kg import MASKS
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.transforms.candidates import Candidates, draw_valid
from pyg_cagp.transforms.reference import (
    as_split,
    describe_options,
    has_splits,
    needs_reference,
    num_relations_of,
)

#: The entities that a replacement is drawn from.
Source: TypeAlias = Literal["uniform", "typed"]

#: The part of a triple that is replaced.
Corrupt: TypeAlias = Literal["tail", "head", "both", "relation"]


@functional_transform("kg_corrupt_triples")
class CorruptTriples(BaseTransform):
    r"""Replaces a part of held-out triples, which gives false triples
    (functional name: :obj:`kg_corrupt_triples`).

    Adds :obj:`corrupt_edge_index` of shape :obj:`[2, M]`,
    :obj:`corrupt_edge_type` and :obj:`corrupt_source`, the index of the edge
    that each one was made from. The same data and seed give the same triples.

    Args:
        corrupt (str, optional): The replaced part: :obj:`"tail"`,
            :obj:`"head"`, :obj:`"both"` (one of the two in each triple) or
            :obj:`"relation"`. (default: :obj:`"tail"`)
        candidates (str, optional): The replacements: :obj:`"uniform"` for any
            entity, or :obj:`"typed"` for those in the same place of the same
            relation in train (local closed world, as in the
            `"Type-Constrained Representation Learning in Knowledge Graphs"
            <https://arxiv.org/abs/1508.02593>`_ paper). A relation is
            :obj:`"typed"` if the head was seen as its head and the tail as its
            tail. (default: :obj:`"uniform"`)
        filtered (bool, optional): If set to :obj:`False`, the result may be a
            known triple, even the original. (default: :obj:`True`)
        num_negatives (int, optional): False triples for each triple; one
            without candidates is skipped. (default: :obj:`1`)
        seed (int, optional): The seed. (default: :obj:`0`)
        reference (optional): The whole graph of a single split, in any form
            that :func:`~pyg_cagp.data.as_kg` takes. Needed if :obj:`filtered`
            or :obj:`"typed"`. (default: :obj:`None`)

    Example:
        >>> from pyg_cagp.datasets import SyntheticKG
        >>> data = SyntheticKG(transform=CorruptTriples(corrupt="both"))[0]
        >>> data.corrupt_source.numel() == int((~data.train_mask).sum())
        True
    """

    def __init__(
        self,
        *,
        corrupt: Corrupt = "tail",
        candidates: Source = "uniform",
        filtered: bool = True,
        num_negatives: int = 1,
        seed: int = 0,
        reference: Any = None,
    ) -> None:
        check_choice("corrupt", corrupt, Corrupt)
        check_choice("candidates", candidates, Source)
        if not isinstance(num_negatives, int) or num_negatives < 1:
            raise InvalidInputError(
                f"'num_negatives' must be a positive integer (got "
                f"{num_negatives!r})"
            )
        self.corrupt, self.candidates = corrupt, candidates
        self.filtered, self.num_negatives = filtered, num_negatives
        self.seed, self.reference = seed, reference
        self._graph: Data | None = None

    def forward(self, data: Data) -> Data:
        r"""Adds false triples to a graph, or to one split of it."""
        if has_splits(data):
            data = as_kg(data)
            source = (data.val_mask | data.test_mask).nonzero().view(-1)
        else:
            data = as_split(data)
            rel = data.edge_type
            source = torch.arange(rel.numel(), device=rel.device)
        graph = self._full_graph(data)
        known = TripleIndex.from_data(graph) if self.filtered else None
        typed = self.candidates == "typed"
        coverage = Coverage.from_data(graph) if typed else None
        generator = torch.Generator().manual_seed(self.seed)
        source = source.repeat_interleave(self.num_negatives)
        head, tail = data.edge_index[:, source]
        rel = data.edge_type[source]
        places = self._places(source, generator)
        done = torch.zeros_like(source, dtype=torch.bool)
        triple = [head.clone(), rel.clone(), tail.clone()]
        # If one end has no candidate, "both" replaces the other one.
        for turn in range(2 if self.corrupt == "both" else 1):
            for place in range(3):
                rows = ((places == place) & ~done).nonzero().view(-1)
                if rows.numel() == 0:
                    continue
                options = Candidates(place, graph, coverage)
                parts = head[rows], rel[rows], tail[rows]
                drawn = draw_valid(options, parts, known, generator)
                triple[place][rows], done[rows] = drawn
            if turn == 0:
                places = 2 - places
        data.corrupt_edge_index = torch.stack([triple[0], triple[2]])[:, done]
        data.corrupt_edge_type = triple[1][done]
        data.corrupt_source = source[done]
        return data

    def _full_graph(self, data: Data) -> Data:
        num = num_relations_of(data)
        if self.reference is not None:
            graph = self._graph = self._graph or as_kg(self.reference)
            keys = ("edge_index", "edge_type", *MASKS)
            return Data(
                **{key: graph[key] for key in keys},
                num_nodes=max(graph.num_nodes, data.num_nodes),
                num_relations=max(graph.num_relations, num),
            ).to(data.edge_index.device)
        if has_splits(data):
            return data
        if self.filtered or self.candidates == "typed":
            raise needs_reference("CorruptTriples", "the whole graph")
        return Data(num_nodes=data.num_nodes, num_relations=num)

    def _places(self, source: Tensor, generator: torch.Generator) -> Tensor:
        place = {"head": 0, "relation": 1, "tail": 2}.get(self.corrupt)
        if place is not None:
            return torch.full_like(source, place)
        coin = torch.rand(source.shape, generator=generator) < 0.5
        return torch.where(coin.to(source.device), 0, 2)

    def __repr__(self) -> str:
        names = "corrupt", "candidates", "filtered", "num_negatives", "seed"
        return describe_options(self, names)
