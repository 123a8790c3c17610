r"""Runs the command line as :obj:`python -m pyg_cagp`."""

import sys

from pyg_cagp.cli import main

if __name__ == "__main__":
    sys.exit(main())
