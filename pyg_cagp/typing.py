r"""Small shared types, and flags for the optional packages."""

from importlib.util import find_spec
from typing import Literal, NamedTuple, TypeAlias

from torch import Tensor

#: In which place of a triple an entity stands.
Role: TypeAlias = Literal["any", "head", "tail"]

#: A split of a graph.
Split: TypeAlias = Literal["train", "val", "test"]

#: How the rank of an answer counts candidates of the same score.
Ties: TypeAlias = Literal["realistic", "optimistic", "pessimistic"]

#: The unit that the bootstrap draws: triples that share a head, a tail, a query
#: (head and relation) or either entity.
Cluster: TypeAlias = Literal["head", "tail", "query", "entities"]

#: The set of a query whose relation has too few validation triples.
Fallback: TypeAlias = Literal["everything", "pooled"]

#: The side of a triple that a query leaves open.
Side: TypeAlias = Literal["tail", "head"]

#: How evidence for an entity-relation pair is weighed.
CoverageView: TypeAlias = Literal["binary", "count", "log", "tfidf"]

#: Whether :obj:`torch_scatter` can be imported.
WITH_TORCH_SCATTER = find_spec("torch_scatter") is not None

#: Whether :obj:`torch_sparse` can be imported.
WITH_TORCH_SPARSE = find_spec("torch_sparse") is not None

#: Whether :obj:`pyarrow` (Parquet files) can be imported.
WITH_PYARROW = find_spec("pyarrow") is not None

#: Whether :obj:`matplotlib` (figures) can be imported.
WITH_MATPLOTLIB = find_spec("matplotlib") is not None


class Decomposition(NamedTuple):
    r"""The uncertainty of triples, and its two parts."""

    total: Tensor
    semantic: Tensor
    structural: Tensor


class UncertainScore(NamedTuple):
    r"""Scores of triples, and the variance of each."""

    score: Tensor
    variance: Tensor
