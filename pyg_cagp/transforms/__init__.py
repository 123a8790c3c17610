r"""Transforms of knowledge graphs that label or make OOD triples."""

from pyg_cagp.transforms.corrupt import CorruptTriples
from pyg_cagp.transforms.temporal_like import TemporalLikeOOD
from pyg_cagp.transforms.timestamp import TimestampOOD

classes = ["TemporalLikeOOD", "TimestampOOD", "CorruptTriples"]

__all__ = classes
