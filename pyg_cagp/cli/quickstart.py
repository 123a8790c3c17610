r"""The command :obj:`pyg-cagp quickstart`."""

import argparse
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from pyg_cagp._utils.table import format_table
from pyg_cagp.cli.common import add_common, add_device, find_device, print_json
from pyg_cagp.exceptions import InvalidInputError

OUT = "runs/quickstart"

#: The file that marks the folder of a quickstart, which the next one replaces.
MARK = ".quickstart"

LEGEND = """
AUROC: 1 is perfect, 0.5 is chance. Semantic uncertainty detects
emerging entities, structural uncertainty novel contexts, CAGP both;
evidence adds counts and the model's score."""

#: The columns of the table: a protocol, and a kind of OOD in it.
COLUMNS = (
    ("emerging entities", "temporal-like", "emerging"),
    ("novel contexts", "temporal-like", "novel"),
    ("random tails", "standard", "overall"),
    ("all at once", "comprehensive", "overall"),
)


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "quickstart",
        help="train and evaluate on a generated graph, offline, in a minute",
        description="Trains a Gaussian model on a generated graph, evaluates "
        "both kinds of uncertainty, and writes a report.",
        epilog="example: pyg-cagp quickstart --out runs/first",
    )
    parser.add_argument(
        "--out",
        metavar="RUN",
        default=OUT,
        help=f"the folder of the run (default: {OUT})",
    )
    parser.add_argument(
        "--epochs",
        type=int,
        default=20,
        help="the number of epochs (default: 20)",
    )
    add_device(parser, "train")
    add_common(parser)


def run(args: argparse.Namespace) -> None:
    r"""Runs the command."""
    from pyg_cagp.datasets import load
    from pyg_cagp.inference import prepare
    from pyg_cagp.report import draw_report, gather, write_tensorboard
    from pyg_cagp.train import Config, train_run
    from pyg_cagp.typing import WITH_JINJA2, WITH_MATPLOTLIB

    start = time.perf_counter()
    device, out = find_device(args.device), Path(args.out)
    progress = not args.json
    config = Config.find("synthetic", "gaussian-distmult")
    config = config.override({"train.epochs": args.epochs})
    kg = load("synthetic", root=args.root, seed=args.seed)
    _make_room(out)
    _print_step(
        args,
        f"training {config.model['name']} on {int(kg.train_mask.sum()):,} "
        f"generated triples ...",
    )
    result = train_run(
        kg,
        config,
        out=out,
        dataset="synthetic",
        seed=args.seed,
        device=device,
        progress=progress,
    )
    _print_step(args, "fitting and evaluating uncertainties ...")
    prepare(out, kg, result.model, seed=args.seed)
    record = gather(
        out, root=args.root, device=device, seed=args.seed, progress=progress
    )
    can_draw = WITH_JINJA2 and WITH_MATPLOTLIB
    page = draw_report(out, record) if can_draw else None
    if page is None:
        write_tensorboard(out, record)
    seconds = time.perf_counter() - start
    if args.json:
        print_json({"run": str(out), "seconds": seconds, **record})
        return
    if page is None:
        next_step = (
            "for a report: pip install 'pyg_cagp[plot]', then run this again"
        )
    else:
        next_step = f"now: open {page} in a browser"
    print(
        f"{format_table(_rows(record))}\n{LEGEND}\nDone in {seconds:.0f} s.\n\n"
        f"{next_step}\nor:  tensorboard --logdir {out}"
    )


def _make_room(out: Path) -> None:
    r"""Makes an empty folder for the run. Replaces an earlier quickstart."""
    if out.exists() and not (out / MARK).is_file():
        raise InvalidInputError(
            f"'{out}' already exists; choose another folder (--out)"
        )
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / MARK).touch()


def _print_step(args: argparse.Namespace, text: str) -> None:
    if not args.json:
        print(f"pyg-cagp: {text}", file=sys.stderr, flush=True)


def _rows(record: dict[str, Any]) -> list[tuple]:
    columns = [
        (record["detection"][protocol]["methods"], kind)
        for _, protocol, kind in COLUMNS
    ]
    rows: list[tuple] = [("AUROC of", *(name for name, _, _ in COLUMNS))]
    for method in columns[0][0]:
        values = (methods[method][kind]["auroc"] for methods, kind in columns)
        rows.append((method, *values))
    return rows
