r"""Protocols, which label the triples of a split."""

from pyg_cagp.coverage.kinds import kind_of
from pyg_cagp.protocols.base import (
    LabelledTriples,
    Protocol,
    ProtocolName,
    Split,
)
from pyg_cagp.protocols.registry import (
    PROTOCOLS,
    Comprehensive,
    Partition,
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
