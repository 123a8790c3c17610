r"""Protocols: what is judged, on which triples, by which labels."""

from pyg_cagp.evaluate.partition import partition_summary

functions = ["partition_summary"]

__all__ = functions
