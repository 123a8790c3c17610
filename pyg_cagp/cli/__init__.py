r"""The command line: parse, call, print."""

from pyg_cagp.cli.main import main

__all__ = ["main"]
