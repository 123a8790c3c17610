r"""The command line of the package."""

from pyg_cagp.cli.main import main

__all__ = ["main"]
