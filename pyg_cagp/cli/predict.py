r"""The command :obj:`pyg-cagp predict`."""

import argparse
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from pyg_cagp._utils.table import format_table
from pyg_cagp.cli.common import (
    add_device,
    add_json,
    add_run_folder,
    find_device,
    print_json,
)

if TYPE_CHECKING:
    from pyg_cagp.inference import Prediction

EXAMPLE = """examples:
  pyg-cagp predict runs/mine --head Zürich --relation "lies in"
  pyg-cagp predict runs/mine --relation "lies in" --tail Schweiz -k 20
"""


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "predict",
        help="answer a query, with the uncertainty of each answer",
        description="Finds the best tails of (head, relation, ?), or the best "
        "heads of (?, relation, tail). Known answers are left out.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_run_folder(parser)
    parser.add_argument("--head", metavar="NAME", help="the head")
    parser.add_argument(
        "--relation", metavar="NAME", required=True, help="the relation"
    )
    parser.add_argument("--tail", metavar="NAME", help="the tail")
    parser.add_argument(
        "-k",
        type=int,
        default=10,
        metavar="NUM",
        help="the number of answers (default: 10)",
    )
    add_device(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> None:
    r"""Runs the command."""
    from pyg_cagp.inference import Predictor

    predictor = Predictor.load(args.run_folder, device=find_device(args.device))
    prediction = predictor.predict(
        args.head, args.relation, args.tail, k=args.k
    )
    if args.json:
        print_json(prediction.to_dict())
    else:
        print(_describe(prediction))


def _describe(prediction: "Prediction") -> str:
    ends = (
        (prediction.given, "?")
        if prediction.side == "tail"
        else ("?", prediction.given)
    )
    query = f"({ends[0]}, {prediction.relation}, {ends[1]})"
    rows: list[tuple] = [
        ("answer", "score", "probability", "p_ood", "kind", "in set", "abstain")
    ]
    for answer in prediction.answers:
        *values, in_set, abstain = astuple(answer)
        flags = ("yes" if flag else "no" for flag in (in_set, abstain))
        rows.append((*values, *flags))
    return (
        f"{query}: {prediction.num_candidates:,} candidates, "
        f"{prediction.num_known:,} known answers left out\n\n"
        f"{format_table(rows)}\n\n"
        f"conformal set: {prediction.set_size:,} answers, which contain the "
        f"right one with probability {prediction.promised:.0%} for queries "
        f"like those of validation"
    )
