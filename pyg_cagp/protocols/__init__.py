r"""Protocols: which triples of a split are labelled, and how."""

from pyg_cagp.coverage.kinds import kind_of
from pyg_cagp.protocols.labelled import LabelledTriples
from pyg_cagp.protocols.registry import PROTOCOLS, Protocol, labelled_triples

classes = ["LabelledTriples", "Protocol"]
functions = ["kind_of", "labelled_triples"]

__all__ = ["PROTOCOLS"]
__all__ += classes + functions
