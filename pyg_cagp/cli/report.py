r"""The command :obj:`pyg-cagp report`."""

import argparse
from pathlib import Path
from typing import Any

from pyg_cagp.cli.common import add_run, find_device, print_json


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "report",
        help="write a report of the uncertainty of a run",
        description="Evaluates a run on the test triples of the graph it was "
        "trained on, by all protocols that the graph allows. Writes "
        "RUN/report.html (one page without other files), RUN/report.json, the "
        "pictures and results, and event files for TensorBoard.",
        epilog="example: pyg-cagp report runs/mine",
    )
    add_run(parser)


def run(args: argparse.Namespace) -> None:
    r"""Runs the command."""
    from pyg_cagp.report import write_report

    record = write_report(
        args.run_folder,
        root=args.root,
        dataset=args.dataset,
        device=find_device(args.device),
        seed=args.seed,
        progress=not args.json,
    )
    if args.json:
        print_json(record)
        return
    print(f"written to {Path(args.run_folder) / 'report.html'}")
