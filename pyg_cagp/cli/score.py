r"""The command :obj:`pyg-cagp score`."""

import argparse
import sys
from textwrap import fill
from typing import Any

from pyg_cagp.advice import Adviser, score_file
from pyg_cagp.advice.table import COLUMNS
from pyg_cagp.cli.common import (
    add_device,
    add_json,
    add_triples,
    find_device,
    format_table,
    print_json,
)

EXAMPLE = """examples:
  pyg-cagp score runs/mine new.tsv -o scored.parquet
  pyg-cagp score runs/mine new.csv.gz -o scored.csv --skip-malformed

columns of the result:
"""


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "score",
        help="tell how far triples of your own can be trusted",
        description="Judges the triples of a file by a trained run. Unknown "
        "names are no error: such triples are abstained from.",
        epilog=EXAMPLE
        + "\n".join(
            fill(
                column["help"],
                width=78,
                initial_indent=f"  {name:<11}  ",
                subsequent_indent=" " * 15,
            )
            for name, column in COLUMNS.items()
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_triples(parser)
    parser.add_argument(
        "-o",
        "--out",
        required=True,
        metavar="OUT",
        help="the file to write: .tsv, .csv or .parquet",
    )
    parser.add_argument(
        "--format",
        choices=("tsv", "csv", "parquet"),
        help="the format of OUT, if its ending does not tell",
    )
    add_device(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    r"""Runs the command."""
    adviser = Adviser.load(args.run_folder, find_device(args.device))
    summary = score_file(
        adviser,
        args.triples,
        args.out,
        args.format,
        args.skip_malformed,
        progress=not args.json,
    )
    if args.json:
        print_json({"out": args.out, **summary.to_dict()})
        return
    for complaint in summary.complaints:
        print(f"pyg-cagp: {complaint}; passed over", file=sys.stderr)
    rows = [("kind", "triples"), *summary.kinds.items()]
    rows += [("total", summary.rows), ("abstain", summary.abstain)]
    if summary.malformed:
        rows.append(("malformed", summary.malformed))
    print(format_table(rows))
    if summary.threshold is None:
        print("no doubt was fitted: abstaining from all that is not ID")
    else:
        print(f"abstaining from a doubt of {summary.threshold:.4f} on")
    print(f"written to {args.out}")
