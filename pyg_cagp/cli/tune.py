r"""The command :obj:`pyg-cagp tune`."""

import argparse
import sys
from typing import Any, get_args

from pyg_cagp.cli.common import (
    add_common,
    add_device,
    dataset_name,
    find_device,
    print_json,
)
from pyg_cagp.typing import ModelName


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "tune",
        help="search for the config of a graph in limited time",
        description="Trains many configs on a small dense core of a graph, and "
        "the best of them on the graph, by validation MRR. Writes a config for "
        "'pyg-cagp train --config'. The same command continues an interrupted "
        "search.",
        epilog="example: pyg-cagp tune my_graph/ --minutes 20 --out tuned.toml",
    )
    parser.add_argument(
        "dataset",
        type=dataset_name,
        help="the name of a dataset, a folder or a file",
    )
    parser.add_argument(
        "--model",
        choices=get_args(ModelName),
        default="gaussian-distmult",
        help="the model (default: gaussian-distmult)",
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=20,
        help="the time of the search, in minutes (default: 20)",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        default="tuned.toml",
        help="the file of the config (default: tuned.toml)",
    )
    add_device(parser, "train")
    add_common(parser)


def run(args: argparse.Namespace) -> None:
    r"""Runs the command."""
    from pyg_cagp.datasets import load
    from pyg_cagp.train import tune

    device = find_device(args.device)
    result = tune(
        load(args.dataset, root=args.root, seed=args.seed),
        args.model,
        minutes=args.minutes,
        out=args.out,
        seed=args.seed,
        device=device,
        progress=not args.json and sys.stderr.isatty(),
    )
    if args.json:
        print_json({"out": args.out, **result.to_dict()})
        return
    print(
        f"{result}\n\nwritten to {args.out}\n"
        f"now: pyg-cagp train {args.dataset} --config {args.out}"
    )
