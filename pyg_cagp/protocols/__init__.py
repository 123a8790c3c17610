r"""Protocols: which triples of a split are labelled, and how."""

from pyg_cagp.coverage.kinds import kind_of
from pyg_cagp.protocols.labelled import LabelledTriples
from pyg_cagp.protocols.registry import (
    PROTOCOLS,
    Comprehensive,
    Partition,
    Protocol,
    ProtocolName,
    Split,
    Standard,
    TemporalLike,
    Timestamp,
    VerifiedNegatives,
    protocol,
)

classes = [
    "LabelledTriples",
    "Protocol",
    "TemporalLike",
    "Standard",
    "Comprehensive",
    "Timestamp",
    "VerifiedNegatives",
]
functions = ["kind_of", "protocol"]

__all__ = ["PROTOCOLS", "Partition", "ProtocolName", "Split"]
__all__ += classes + functions
