r"""The command :obj:`pyg-cagp reproduce`."""

import argparse
import dataclasses
import os
import sys
import time
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmark.paper.table_names import TABLE_NAMES
from pyg_cagp._utils.checks import check_choice
from pyg_cagp._utils.files import write_atomically
from pyg_cagp.cli.common import add_common, print_json
from pyg_cagp.datasets.cache import cache_dir
from pyg_cagp.exceptions import InvalidInputError

#: Where records are kept in a checkout, and where otherwise.
IN_CHECKOUT = Path("benchmark/paper/results")
ELSEWHERE = Path("runs/reproduce")

#: What can be done where nothing can be computed.
SHOW = "'--tables-only' makes tables from the records there are"

EXAMPLE = """examples:
  pyg-cagp reproduce --quick           the whole grid, small, in minutes
  pyg-cagp reproduce table2 table3     two tables, from what is computed and
                                       what is not yet
  pyg-cagp reproduce --tables-only     all tables from the records there are

tables:
""" + "\n".join(f"  {name:18}  {what}" for name, what in TABLE_NAMES.items())

#: Graphs whose files not everybody has: they are computed wherever these are.
OPTIONAL = ("yago-sample", "yago3-10")


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "reproduce",
        help="compute the tables of the paper again, and those it lacks",
        description="Computes tables from trained models. What was computed "
        "before, with the same config, code and data, is not computed again; "
        "an interrupted run loses at most one cell for each process.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        # '--seed 7' must not be taken for '--seeds 7', which takes a day.
        allow_abbrev=False,
    )
    parser.add_argument(
        "tables",
        nargs="*",
        metavar="TABLE",
        help="tables, by the names below (default: all)",
    )
    parser.add_argument(
        "--datasets",
        nargs="+",
        type=str.lower,
        metavar="NAME",
        help="only these datasets (default: fb15k-237 wn18rr icews14 codex-s, "
        f"and {' and '.join(OPTIONAL)} if their files are there); a table of "
        "one graph is shown for each of them, but architectures are compared "
        "on the first alone",
    )
    parser.add_argument(
        "--seeds", type=_positive, help="how many seeds (default: 3)"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a small grid on generated and subsampled graphs",
    )
    parser.add_argument(
        "--as-published",
        action="store_true",
        help="also show mixes whose scale sees labels, as the paper's may "
        "have: adds table 'leak' to the tables that are named",
    )
    parser.add_argument(
        "--tables-only",
        action="store_true",
        help="compute nothing; make tables from the records there are",
    )
    parser.add_argument(
        "--jobs",
        type=_positive,
        default=os.cpu_count() or 1,
        help="how many cells at a time (default: one for each core)",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        help=f"the folder of records (default: {IN_CHECKOUT} in a checkout, "
        f"otherwise {ELSEWHERE}; with --quick, {ELSEWHERE}-quick)",
    )
    parser.add_argument(
        "--work",
        metavar="DIR",
        help="where models and scores are kept (default: in the cache)",
    )
    parser.add_argument(
        "--write", metavar="FILE", help="also write the tables to a file"
    )
    add_common(parser, seed=False)
    parser.set_defaults(run=run)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"must be a positive whole number (got '{text}')"
        )
    return int(text)


def run(args: argparse.Namespace) -> int:
    r"""Runs the command; returns 1 if some cells could not be computed."""
    # The grid imports everything there is, which other commands need not wait
    # for.
    from benchmark.paper import (
        FULL,
        OF_ONE_GRAPH,
        QUICK,
        TABLES,
        Grid,
        Records,
        Store,
        Workshop,
        run_cells,
    )
    from pyg_cagp.advice.evaluation import check_target

    names = list(dict.fromkeys(args.tables)) or list(TABLES)
    for name in names:
        check_choice("TABLE", name, tuple(TABLES))
    if args.as_published and "leak" not in names:
        names.append("leak")
    budget = QUICK if args.quick else FULL
    if args.seeds:
        budget = dataclasses.replace(budget, seeds=args.seeds)
    if args.datasets:
        args.datasets = list(dict.fromkeys(args.datasets))
        for name in args.datasets:
            _check_dataset(name, TABLES)
        budget = dataclasses.replace(budget, datasets=tuple(args.datasets))
    elif not args.quick:
        budget = _with_optional(budget, args.root, args.tables_only)
    if args.write and not Path(args.write).parent.is_dir():
        raise InvalidInputError(
            f"'--write' must be in a folder that exists (got '{args.write}')"
        )
    if args.write:
        check_target(Path(args.write))
    for option, folder in (("--out", args.out), ("--work", args.work)):
        if folder:
            _check_folder(option, Path(folder))
    store = Store(args.out or _default_out(args.quick))
    computed, failed = 0, dict[str, str]()
    passed: float | None = None
    if not args.tables_only:
        began = time.monotonic()
        work = Path(args.work) if args.work else cache_dir() / "reproduce"
        parts = {part for name in names for part in TABLES[name][1]}
        cells = Grid(budget).chosen(
            lambda cell: any(part in f"{cell}/" for part in parts)
        )
        computed, failed = run_cells(
            cells,
            store,
            Workshop(work, args.root),
            args.jobs,
            progress=not args.json,
            spawn=True,
        )
        passed = time.monotonic() - began
        if cells and len(failed) == len(cells):
            raise InvalidInputError(
                f"nothing could be computed: {_reason(failed, budget.datasets)}"
                + (f"; {SHOW}" if store.names() else "")
            )
    shown = {cell.dataset for cell in Grid(budget).cells.values()}
    records = Records(store, args.datasets and shown, args.seeds)
    if args.tables_only and not records.names:
        asked = f" of {', '.join(args.datasets)}" if args.datasets else ""
        raise InvalidInputError(
            f"there are no records{asked} in '{store.folder}'; leave out "
            f"'--tables-only' to compute them"
        )
    graphs = {cell.split("/")[0] for cell in records.names}
    for dataset in args.datasets or ():
        if dataset not in graphs:
            print(f"pyg-cagp: no record of {dataset}", file=sys.stderr)
    tables = []
    for name in names:
        make = TABLES[name][0]
        if not args.datasets or name not in OF_ONE_GRAPH:
            tables.append(make(records))
            continue
        single = [make(Records(store, [d], args.seeds)) for d in args.datasets]
        # A graph without records of this table takes no place beside others.
        filled = [table for table in single if table.has_figures()]
        tables += filled or [make(records)]
        for dataset, table in zip(args.datasets, single, strict=True):
            if filled and dataset in graphs and table not in filled:
                print(
                    f"pyg-cagp: no record of {dataset} for table '{name}'",
                    file=sys.stderr,
                )
    text = "\n\n".join(table.to_markdown() for table in tables)
    if args.write:
        write_atomically(Path(args.write), f"{text}\n".encode())
    if args.json:
        print_json(
            {
                "records": str(store.folder),
                "computed": computed,
                "seconds": passed,
                "failed": failed,
                "tables": [table.to_dict() for table in tables],
            }
        )
    else:
        print(text)
        for line in _failures(failed):
            print(line, file=sys.stderr)
        if passed is not None:
            after = timedelta(seconds=round(passed))
            there = len(cells) - len(failed)
            print(
                f"pyg-cagp: {computed} records were computed in {after}, "
                f"{args.jobs} at a time; {there} of {len(cells)} are there",
                file=sys.stderr,
            )
    return 1 if failed else 0


def _reason(failed: dict[str, str], datasets: Collection[str]) -> str:
    r"""Returns why a cell was not computed, if possible one of a graph that was
    asked for.
    """
    asked = [cell for cell in failed if cell.split("/")[0] in datasets]
    return failed[next(iter(asked or failed))]


def _failures(failed: dict[str, str]) -> list[str]:
    r"""Names what was not computed, a line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for cell, reason in failed.items():
        by_reason.setdefault(reason, []).append(cell)
    lines = []
    for reason, cells in by_reason.items():
        others = len(cells) - 1
        more = f" and {others} more were" if others else " was"
        lines.append(f"pyg-cagp: {cells[0]}{more} not computed: {reason}")
    return lines


def _with_optional(budget: Any, root: str | None, quiet: bool) -> Any:
    r"""Adds graphs whose files not everybody has, or says that they are left
    out.
    """
    from benchmark.paper.workshop import FOLDERS
    from pyg_cagp.datasets.cache import data_root
    from pyg_cagp.datasets.registry import REGISTRY

    datasets = [name for name in budget.datasets if name not in OPTIONAL]
    for name in OPTIONAL:
        why = None
        if name in FOLDERS:
            folder = data_root(root) / FOLDERS[name]
            if not folder.is_dir():
                why = f"it is not at '{folder}' and cannot be downloaded"
        elif missing := REGISTRY[name].missing(root):
            why = (
                f"{', '.join(missing)} of it would have to be downloaded; "
                f"'--datasets {name}' does so"
            )
        if why is None:
            datasets.append(name)
        elif not quiet:
            print(f"pyg-cagp: {name} is left out, as {why}", file=sys.stderr)
    return dataclasses.replace(budget, datasets=tuple(datasets))


def _check_folder(option: str, folder: Path) -> None:
    there = next(p for p in (folder, *folder.parents) if p.exists())
    if not there.is_dir():
        raise InvalidInputError(
            f"'{option}' must be a folder, or one that can be made (got "
            f"'{folder}', but '{there}' is a file)"
        )


def _check_dataset(name: str, tables: Collection[str]) -> None:
    # Before a grid is computed of which no cell can be.
    from benchmark.paper.workshop import FOLDERS
    from pyg_cagp.datasets.registry import REGISTRY

    known = ("synthetic", "subsample", *FOLDERS, *REGISTRY)
    if name in known:
        return
    if name in tables:
        raise InvalidInputError(
            f"'{name}' is a table; name tables before '--datasets'"
        )
    raise InvalidInputError(
        f"'--datasets' must name some of {', '.join(known)} (got '{name}'); "
        f"'pyg-cagp train' and 'pyg-cagp evaluate' take folders of triples"
    )


def _default_out(quick: bool) -> Path:
    if quick:
        return ELSEWHERE.with_name(f"{ELSEWHERE.name}-quick")
    return IN_CHECKOUT if IN_CHECKOUT.parent.is_dir() else ELSEWHERE
