r"""Types shared by several subpackages, and flags of optional packages."""

# Annotations are not evaluated, so that the command line need not import
# PyTorch.
from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from torch import Tensor

#: A split of a graph.
Split: TypeAlias = Literal["train", "val", "test"]

#: A split that is not trained on.
HeldOut: TypeAlias = Literal["val", "test"]

#: The unit that the bootstrap draws: triples that share a head, a tail, a query
#: (head and relation) or either entity.
Cluster: TypeAlias = Literal["head", "tail", "query", "entities"]

#: The answer set of a query whose relation has too few validation triples.
Fallback: TypeAlias = Literal["everything", "pooled"]

#: The side of a triple that is predicted.
Side: TypeAlias = Literal["tail", "head"]

#: The position of an entity in a triple.
Role: TypeAlias = Literal["any", "head", "tail"]

#: The weight of the evidence for an entity-relation pair.
CoverageView: TypeAlias = Literal["binary", "count", "log", "tfidf"]

#: The rank of an answer among answers of equal score.
Ties: TypeAlias = Literal["optimistic", "realistic", "pessimistic"]

#: A partition of the paper, see
#: :class:`~pyg_cagp.transforms.TemporalLikeOOD`.
PartitionName: TypeAlias = Literal["stated", "inclusive", "table2", "appendix"]

#: The entities whose frequencies enter a quantile.
Population: TypeAlias = Literal["seen", "all"]

#: How often a triple counts for an entity that is both its head and its tail.
SelfLoops: TypeAlias = Literal["twice", "once"]

#: A protocol that labels triples as out of distribution.
ProtocolName: TypeAlias = Literal[
    "temporal-like",
    "standard",
    "comprehensive",
    "timestamp",
    "verified-negatives",
]

#: A protocol that evaluates a run.
RunProtocol: TypeAlias = Literal[
    "ranking",
    "temporal-like",
    "standard",
    "comprehensive",
    "timestamp",
    "verified-negatives",
    "error-ranking",
    "conformal",
]

#: A model that a config can name.
ModelName: TypeAlias = Literal[
    "gaussian-distmult",
    "gaussian-complex",
    "gaussian-transe",
    "gaussian-rotate",
    "kg2e",
]

#: A training recipe that holds for every dataset.
Recipe: TypeAlias = Literal["paper"]

#: The meaning of a fourth column.
Extra: TypeAlias = Literal["auto", "time", "confidence"]

#: The way in which a file without splits is split.
SplitRule: TypeAlias = Literal["random", "time"]

#: Whether :obj:`torch_scatter` can be imported.
WITH_TORCH_SCATTER = find_spec("torch_scatter") is not None

#: Whether :obj:`torch_sparse` can be imported.
WITH_TORCH_SPARSE = find_spec("torch_sparse") is not None

#: Whether :obj:`pyarrow` (Parquet files) can be imported.
WITH_PYARROW = find_spec("pyarrow") is not None

#: Whether :obj:`matplotlib` (figures) can be imported.
WITH_MATPLOTLIB = find_spec("matplotlib") is not None

#: Whether :obj:`jinja2` (pages) can be imported.
WITH_JINJA2 = find_spec("jinja2") is not None


class Decomposition(NamedTuple):
    r"""The uncertainty of triples, and its two parts."""

    total: Tensor
    semantic: Tensor
    structural: Tensor


class UncertainScore(NamedTuple):
    r"""The scores of triples and their variances."""

    score: Tensor
    variance: Tensor
