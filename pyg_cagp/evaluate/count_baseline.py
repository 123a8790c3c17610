r"""A baseline that ranks answers by counting training triples."""

import torch
from torch import Tensor

from pyg_cagp.data import triples
from pyg_cagp.data.answer_index import expand_ranges
from pyg_cagp.evaluate.graph import EvaluationGraph, GraphLike


class CountBaseline:
    r"""Ranks the answers of a query by counts of training triples.

    An answer :math:`t` of :math:`(h, r, ?)` comes before another one if it has
    the larger :math:`n(h, r, t)`, the number of equal training triples; if
    these are equal, the larger :math:`n(h, t)`, the number of training triples
    between both entities in any relation and direction; if these are equal,
    too, the larger :math:`n(r, t)`, the number of training triples of the
    relation with this tail. Heads are ranked likewise. It has no parameters.

    On graphs of events, which repeat, a model has to be compared with it.

    Args:
        kg (Data): The graph; see :func:`~pyg_cagp.data.as_kg`. Only training
            triples are counted.

    Example:
        >>> from pyg_cagp import evaluate
        >>> from pyg_cagp.datasets import load
        >>> kg = load("synthetic")
        >>> result = evaluate.ranking(evaluate.CountBaseline(kg), kg)
        >>> 0 < result["mrr"] < 1
        True
    """

    def __init__(self, kg: GraphLike) -> None:
        kg = EvaluationGraph.of(kg).kg
        self.num_nodes, self.num_relations = kg.num_nodes, kg.num_relations
        head, rel, tail = triples(kg, "train")
        self.device = rel.device
        links = torch.stack([torch.cat([head, tail]), torch.cat([tail, head])])
        self._links = _Counts(*links)
        self._triples, self._by_relation = {}, {}
        for side, given, answer in (
            ("tail", head, tail),
            ("head", tail, head),
        ):
            query = given * self.num_relations + rel
            self._triples[side] = _Counts(query, answer)
            counts = _Counts(rel, answer)
            self._by_relation[side] = counts

    def score_tails(self, head_index: Tensor, rel_type: Tensor) -> Tensor:
        r"""Scores all entities as tails of :math:`(h, r, ?)`, of shape
        :obj:`[B, num_nodes]`.

        Args:
            head_index (torch.Tensor): The head indices, of shape :obj:`[B]`.
            rel_type (torch.Tensor): The relation type, of shape :obj:`[B]`.
        """
        return self._score("tail", head_index, rel_type)

    def score_heads(self, rel_type: Tensor, tail_index: Tensor) -> Tensor:
        r"""Scores all entities as heads of :math:`(?, r, t)`, of shape
        :obj:`[B, num_nodes]`.

        Args:
            rel_type (torch.Tensor): The relation type, of shape :obj:`[B]`.
            tail_index (torch.Tensor): The tail indices, of shape :obj:`[B]`.
        """
        return self._score("head", tail_index, rel_type)

    def _score(self, side: str, given: Tensor, rel_type: Tensor) -> Tensor:
        shape = (given.numel(), self.num_nodes)
        # Doubles hold the three counts as the digits of one whole number.
        scores = torch.zeros(shape, dtype=torch.double, device=given.device)
        by_relation = self._by_relation[side]
        by_relation.add(scores, rel_type, 1)
        self._links.add(scores, given, by_relation.base)
        query = given * self.num_relations + rel_type
        base = by_relation.base * self._links.base
        self._triples[side].add(scores, query, base)
        return scores


class _Counts:
    r"""How often each column occurs with each row, stored by row."""

    def __init__(self, row: Tensor, column: Tensor) -> None:
        pairs, count = torch.stack([row, column]).unique(
            dim=1, return_counts=True
        )
        self.row, self.column = pairs.contiguous()
        self.count = count.double()
        #: More than any count.
        self.base = int(count.max()) + 1 if count.numel() else 1

    def add(self, scores: Tensor, row: Tensor, factor: int) -> None:
        r"""Adds the counts of one row to each row of scores, times a factor."""
        begin = torch.searchsorted(self.row, row)
        size = torch.searchsorted(self.row, row, right=True) - begin
        target, place = expand_ranges(begin, size)
        scores[target, self.column[place]] += factor * self.count[place]
