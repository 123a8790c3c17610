r"""The command :obj:`pyg-cagp score`."""

import argparse
import sys
from textwrap import fill
from typing import Any

from pyg_cagp._utils.table import format_table
from pyg_cagp.cli.common import (
    add_device,
    add_json,
    add_triples,
    find_device,
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
        help="score the triples of a file, with the uncertainty of each",
        description="Scores the triples of a file with a trained run. Triples "
        "with unknown names raise no error and are abstained from.",
        epilog=_epilog,
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
        help="the format of OUT (default: by its ending)",
    )
    add_device(parser)
    add_json(parser)


def _epilog() -> str:
    from pyg_cagp.inference.scores import COLUMNS

    return EXAMPLE + "\n".join(
        fill(
            column["help"],
            width=78,
            initial_indent=f"  {name:<11}  ",
            subsequent_indent=" " * 15,
        )
        for name, column in COLUMNS.items()
    )


def run(args: argparse.Namespace) -> None:
    r"""Runs the command."""
    from pyg_cagp.inference import Predictor, score_file

    predictor = Predictor.load(args.run_folder, device=find_device(args.device))
    summary = score_file(
        predictor,
        args.triples,
        args.out,
        format=args.format,
        skip_malformed=args.skip_malformed,
        progress=not args.json,
    )
    if args.json:
        print_json({"out": args.out, **summary.to_dict()})
        return
    for message in summary.messages:
        print(f"pyg-cagp: {message}; skipped", file=sys.stderr)
    rows = [("kind", "triples"), *summary.kinds.items()]
    rows += [("total", summary.rows), ("abstain", summary.abstain)]
    if summary.malformed:
        rows.append(("malformed", summary.malformed))
    print(format_table(rows))
    if summary.threshold is None:
        print(
            "p_ood was not fitted: abstaining from all triples that are not ID"
        )
    else:
        print(f"abstaining from p_ood of at least {summary.threshold:.4f}")
    print(f"written to {args.out}")
