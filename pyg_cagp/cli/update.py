r"""The command :obj:`pyg-cagp update`."""

import argparse
from typing import Any

from pyg_cagp._utils.table import format_table
from pyg_cagp.cli.common import (
    add_device,
    add_json,
    add_triples,
    find_device,
    print_json,
)

EXAMPLE = """example:
  pyg-cagp update runs/mine arrived_today.tsv --skip-known
"""


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "update",
        help="add triples to a run, without training again",
        description="Adds triples to the coverage and to the variances of a "
        "run. An interrupted update leaves the run as it was.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_triples(parser)
    parser.add_argument(
        "--skip-known",
        action="store_true",
        help="skip triples that the run already has, so that a second update "
        "with the same file changes nothing",
    )
    add_device(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> None:
    r"""Runs the command."""
    from pyg_cagp.inference import Predictor

    predictor = Predictor.load(args.run_folder, device=find_device(args.device))
    summary = predictor.update(
        args.triples,
        skip_known=args.skip_known,
        skip_malformed=args.skip_malformed,
    )
    if args.json:
        print_json({"run": args.run_folder, **summary.to_dict()})
        return
    action = "skipped" if args.skip_known else "added again"
    counts = {
        f"already in the run, {action}": summary.repeated,
        "unknown entity, skipped": summary.unknown_entity,
        "unknown relation, skipped": summary.unknown_relation,
        "malformed, skipped": summary.malformed,
    }
    rows = [("triples", ""), ("added", summary.added)]
    rows += [(name, number) for name, number in counts.items() if number]
    print(format_table(rows))
    if summary.unknown_entity or summary.unknown_relation:
        print(
            "the model has no embeddings of unknown names; train it again with "
            "these triples"
        )
