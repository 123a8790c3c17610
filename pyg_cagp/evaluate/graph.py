r"""A checked graph with the values that evaluations share."""

from functools import cached_property
from typing import Any, Self, TypeAlias

import torch
from torch_geometric.data import Data

from pyg_cagp.coverage import Coverage
from pyg_cagp.data import as_kg, describe_graph
from pyg_cagp.evaluate.predictions import Predictions, predicted
from pyg_cagp.nn.scoring import Scorer
from pyg_cagp.protocols import LabelledTriples, Protocol, Split


class EvaluationGraph:
    r"""A checked graph, which every evaluation accepts in place of a graph. Its
    coverage, digest, labels and predictions are computed once.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.protocols import TemporalLike
        >>> graph = EvaluationGraph.of(load("synthetic"))
        >>> val = graph.label(TemporalLike(), "val")
        >>> val.coverage is graph.label(TemporalLike(), "test").coverage
        True
    """

    def __init__(self, kg: Data) -> None:
        self.kg = kg
        self._labelled: dict[tuple[Protocol, Split], LabelledTriples] = {}
        self._predicted: dict[Split, tuple[Any, Predictions]] = {}

    @classmethod
    def of(cls, source: Any) -> Self:
        r"""Checks a graph. An evaluation graph is returned unchanged."""
        return source if isinstance(source, cls) else cls(as_kg(source))

    @cached_property
    def coverage(self) -> Coverage:
        r"""The coverage of the training triples."""
        return Coverage._from_kg(self.kg)

    def coverage_on(self, device: torch.device) -> Coverage:
        r"""Returns the coverage on a device, as a copy if it must be moved."""
        coverage = self.coverage
        if coverage.device == device:
            return coverage
        return coverage.clone().to(device)

    @cached_property
    def description(self) -> dict[str, Any]:
        r"""The sizes of the graph and its digest."""
        return describe_graph(self.kg)

    def label(self, rule: Protocol, split: Split) -> LabelledTriples:
        r"""Returns the triples of a split, labelled by a protocol."""
        key = rule, split
        if key not in self._labelled:
            self._labelled[key] = rule._label(self.kg, split, self.coverage)
        return self._labelled[key]

    def predictions(self, model: Scorer, split: Split) -> Predictions:
        r"""Returns a model's answers to the queries of a split."""
        if self._predicted.get(split, (None,))[0] is not model:
            self._predicted[split] = model, predicted(model, self.kg, split)
        return self._predicted[split][1]


#: The graphs that evaluations accept.
GraphLike: TypeAlias = Data | EvaluationGraph
