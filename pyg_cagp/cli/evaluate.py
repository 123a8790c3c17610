r"""The command :obj:`pyg-cagp evaluate`."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

from pyg_cagp.cli.common import (
    add_run,
    find_device,
    format_table,
    print_json,
)
from pyg_cagp.typing import RunProtocol

EXAMPLE = """examples:
  pyg-cagp evaluate runs/mine --protocol ranking
  pyg-cagp evaluate runs/mine --protocol comprehensive --json
"""


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "evaluate",
        help="evaluate a trained run on its own graph",
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
        help="the protocol",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    r"""Runs the command."""
    from pyg_cagp.inference.evaluation import evaluate_run

    record = evaluate_run(
        args.run_folder,
        args.protocol,
        args.root,
        args.dataset,
        find_device(args.device),
        args.seed,
        # Logs are no place for bars.
        progress=not args.json and sys.stderr.isatty(),
    )
    if args.json:
        print_json(record.to_dict())
        return
    rows = TABLES.get(args.protocol, _ood_rows)(record)
    path = Path(args.run_folder) / f"evaluate-{args.protocol}.json"
    print(f"{format_table(rows)}\nwritten to {path}")


def _ranking_rows(record: Mapping[str, Any]) -> list[tuple]:
    keys = ("mrr", "hits@1", "hits@3", "hits@10")
    parts = {"both": record, **record["by_side"]}
    return [
        ("side", *keys),
        *((name, *(part[key] for key in keys)) for name, part in parts.items()),
    ]


def _ood_rows(record: Mapping[str, Any]) -> list[tuple]:
    keys = ("auroc", "aupr", "fpr_at_95_tpr", "f1")
    rows: list[tuple] = [
        ("method", "out of distribution", "AUROC", "AUPR", "FPR95", "F1")
    ]
    for method, parts in record["methods"].items():
        rows += [
            (method, kind, *(part[key] for key in keys))
            for kind, part in parts.items()
            if kind != "calibration"
        ]
    return rows


def _error_rows(record: Mapping[str, Any]) -> list[tuple]:
    keys = ("aurc", "e_aurc", "auroc")
    return [
        ("method", "AURC", "E-AURC", "AUROC"),
        *(
            (method, *(part[key] for key in keys))
            for method, part in record["methods"].items()
        ),
    ]


def _conformal_rows(record: Mapping[str, Any]) -> list[tuple]:
    keys = ("num_queries", "coverage", "mean_size", "median_size")
    parts = {"all": record, **record["by_kind"]}
    return [
        ("kind", "queries", "coverage", "mean size", "median size"),
        *((name, *(part[key] for key in keys)) for name, part in parts.items()),
    ]


TABLES: dict[str, Callable[[Mapping[str, Any]], list[tuple]]] = {
    "ranking": _ranking_rows,
    "error-ranking": _error_rows,
    "conformal": _conformal_rows,
}
