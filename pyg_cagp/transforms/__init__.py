r"""Transforms of knowledge graphs that label or make OOD triples."""

from pyg_cagp.transforms.corrupt import CorruptTriples
from pyg_cagp.transforms.temporal_like import TemporalLikeOOD
from pyg_cagp.transforms.timestamp import TimestampOOD, week_length

classes = ["TemporalLikeOOD", "TimestampOOD", "CorruptTriples"]
functions = ["week_length"]

__all__ = classes + functions
