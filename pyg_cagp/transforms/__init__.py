r"""Who is out of distribution: transforms of knowledge graphs."""

from pyg_cagp.transforms.corrupt import CorruptTriples
from pyg_cagp.transforms.judged import JudgedTriples, judged_triples
from pyg_cagp.transforms.temporal_like import TemporalLikeOOD
from pyg_cagp.transforms.timestamp import TimestampOOD

classes = [
    "TemporalLikeOOD",
    "TimestampOOD",
    "CorruptTriples",
    "JudgedTriples",
]
functions = ["judged_triples"]

__all__ = classes + functions
