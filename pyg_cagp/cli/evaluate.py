r"""The command :obj:`pyg-cagp evaluate`."""

import argparse
import sys
from pathlib import Path
from typing import Any, get_args

from pyg_cagp.cli.common import add_run, find_device, print_json
from pyg_cagp.typing import RunProtocol

EXAMPLE = """examples:
  pyg-cagp evaluate runs/mine --protocol ranking
  pyg-cagp evaluate runs/mine --protocol comprehensive --json
"""


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "evaluate",
        help="evaluate a trained run on its test triples",
        description="Evaluates a run on the test triples of the graph it was "
        "trained on, and writes the record to RUN/evaluate-PROTOCOL.json.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_run(parser)
    parser.add_argument(
        "--protocol",
        choices=get_args(RunProtocol),
        required=True,
        help="the evaluation",
    )


def run(args: argparse.Namespace) -> None:
    r"""Runs the command."""
    from pyg_cagp.inference.evaluation import evaluate_run

    result = evaluate_run(
        args.run_folder,
        args.protocol,
        root=args.root,
        dataset=args.dataset,
        device=find_device(args.device),
        seed=args.seed,
        # No progress bars in log files.
        progress=not args.json and sys.stderr.isatty(),
    )
    if args.json:
        print_json(result.to_dict())
        return
    path = Path(args.run_folder) / f"evaluate-{args.protocol}.json"
    print(f"{result}\nwritten to {path}")
