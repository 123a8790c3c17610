r"""The command :obj:`python -m benchmark.paper`."""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

# As for the committed records: with other instructions, sums have another order
# and training gives other models. Set before PyTorch is imported.
os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")

import torch

from benchmark.paper import golden
from benchmark.paper.artifacts import FOLDERS, Artifacts
from benchmark.paper.budget import FULL, GOLDEN, Budget
from benchmark.paper.grid import Grid
from benchmark.paper.plots import draw_figures
from benchmark.paper.runner import recompute, run_experiments
from benchmark.paper.stages import stamp
from benchmark.paper.status import CURRENT, states, unverified_stages
from benchmark.paper.store import Store
from benchmark.paper.tables import TABLES, Records
from benchmark.paper.write_tables import check_pages, write_pages
from pyg_cagp._utils.checks import check_choice
from pyg_cagp._utils.files import write_atomically
from pyg_cagp._utils.threads import one_blas_thread
from pyg_cagp.datasets.cache import cache_dir, data_root
from pyg_cagp.datasets.registry import REGISTRY
from pyg_cagp.exceptions import CAGPError

HERE = Path(__file__).parent
RESULTS = HERE / "results"
QUICK = Path("runs/paper-quick")


def run(args: argparse.Namespace) -> int:
    r"""Computes the experiments that have no current record."""
    tables = args.tables or list(TABLES)
    for name in tables:
        check_choice("TABLE", name, tuple(TABLES))
    budget = _budget(args)
    experiments = Grid(budget).chosen(
        lambda name: any(TABLES[table].reads(name) for table in tables)
    )
    out = Path(args.out or (QUICK if args.quick else RESULTS))
    store = Store(out)
    computed, failed = run_experiments(
        experiments,
        store,
        Artifacts(args.work or cache_dir() / "paper", args.root),
        jobs=args.jobs,
    )
    records = Records(store, {e.dataset for e in experiments}, budget.seeds)
    text = "\n\n".join(TABLES[n].make(records).to_markdown() for n in tables)
    if args.tables:
        print(text)
    else:
        write_atomically(out / "TABLES.md", f"{text}\n".encode())
    there = len(experiments) - len(failed)
    print(
        f"{computed} records were computed, {there} of {len(experiments)} are "
        f"in '{out}'"
    )
    for name, reason in failed.items():
        print(f"{name} was not computed: {reason}", file=sys.stderr)
    return 1 if failed else 0


def status(args: argparse.Namespace) -> int:
    r"""Prints the state of each record."""
    experiments = list(Grid(FULL).experiments.values())
    artifacts = Artifacts(tempfile.gettempdir(), args.root)
    by_name = states(experiments, Store(args.results), artifacts)
    if args.json:
        print(json.dumps(by_name, indent=1))
    else:
        for name, state in by_name.items():
            if args.verbose and state != CURRENT:
                print(f"{name}: {state}")
        for state, count in Counter(by_name.values()).most_common():
            print(f"{count:5} {state}")
    for stage in unverified_stages():
        print(
            f"WARNING: the code of stage '{stage}' has changed since the "
            f"golden run confirmed it: run 'python -m benchmark.paper verify "
            f"--stamp', or raise the version of the stage",
            file=sys.stderr,
        )
    return 0


def tables(args: argparse.Namespace) -> int:
    r"""Prints tables, or writes the pages and figures made from records."""
    records = Records(Store(args.results))
    for name in args.tables:
        check_choice("TABLE", name, tuple(TABLES))
    made = [TABLES[name].make(records) for name in args.tables]
    if args.json:
        print(json.dumps([table.to_dict() for table in made], indent=1))
    elif made:
        print("\n\n".join(table.to_markdown() for table in made))
    elif args.check:
        problems = check_pages(records)
        for problem in problems:
            print(problem, file=sys.stderr)
        return 1 if problems else 0
    else:
        for page in write_pages(records):
            print(f"{page} was written")
        draw_figures(records, HERE.parents[1] / "docs/images")
    return 0


def verify(args: argparse.Namespace) -> int:
    r"""Compares the golden run, or recomputed records, with stored values."""
    torch.set_num_threads(1)
    stages: set[str] | None = set() if args.stamp else None
    with tempfile.TemporaryDirectory() as folder, one_blas_thread():
        if args.names:
            return _verify_records(args, args.work or folder)
        values = golden.compute(Path(folder), stages)
    if args.record:
        golden.record(values)
    result = golden.compare(values)
    print(*result.different, sep="\n", end="\n" if result.different else "")
    print(f"{len(result.different)} of {result.count} values differ")
    for key, (stored, present) in result.environment.items():
        print(f"other environment: {key} was {stored}, is {present}")
    if result.different:
        # In another environment, the same code gives other bits.
        return 0 if result.environment else 1
    if stages:
        stamp(stages)
        print(f"verified by golden: {', '.join(sorted(stages))}")
    return 0


def _verify_records(args: argparse.Namespace, work: str) -> int:
    store, artifacts = Store(args.results), Artifacts(work, args.root)
    grid = Grid(FULL)
    for name in args.names:
        check_choice("NAME", name, tuple(grid.experiments))
    wanted = grid.chosen(lambda name: name in args.names)
    failed = False
    for name, different in recompute(wanted, args.names, store, artifacts):
        print(f"{name}: {len(different) or 'no'} figures differ")
        print(*(f"  {line}" for line in different), sep="\n", end="")
        failed = failed or bool(different)
    return int(failed)


def _budget(args: argparse.Namespace) -> Budget:
    budget = GOLDEN if args.quick else FULL
    if args.seeds:
        budget = replace(budget, seeds=args.seeds)
    known = (*budget.datasets, *FOLDERS, *REGISTRY)
    for name in args.datasets or ():
        check_choice("--datasets", name, known)
    if args.datasets:
        return replace(budget, datasets=tuple(dict.fromkeys(args.datasets)))
    there = []
    for name in budget.datasets:
        folder = data_root(args.root) / FOLDERS.get(name, "")
        if folder.is_dir() or name not in FOLDERS:
            there.append(name)
        else:
            print(
                f"{name} is left out: it is not at '{folder}' and cannot be "
                f"downloaded",
                file=sys.stderr,
            )
    return replace(budget, datasets=tuple(there))


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"must be a positive integer (got '{text}')"
        )
    return int(text)


def build_parser() -> argparse.ArgumentParser:
    r"""Returns the parser of the command."""
    parser = argparse.ArgumentParser("python -m benchmark.paper")
    commands = parser.add_subparsers(dest="command", required=True)

    def add(name: str, call: Any, text: str) -> argparse.ArgumentParser:
        # '--seed 7' must not be taken for '--seeds 7', which takes hours.
        command = commands.add_parser(name, help=text, allow_abbrev=False)
        command.set_defaults(call=call)
        command.add_argument("--root", help="the folder that holds datasets")
        if name != "run":
            command.add_argument("--results", default=RESULTS, help="records")
        return command

    part = add("run", run, "compute what has no current record")
    part.add_argument("tables", nargs="*", metavar="TABLE")
    part.add_argument("--quick", action="store_true", help="a small grid")
    part.add_argument("--datasets", nargs="+", type=str.lower, metavar="NAME")
    part.add_argument("--seeds", type=_positive)
    part.add_argument("--jobs", type=_positive, default=os.cpu_count() or 1)
    part.add_argument("--out", metavar="DIR", help="the folder of records")
    part.add_argument("--work", metavar="DIR", help="models and scores")
    part = add("status", status, "say which records are current")
    part.add_argument("--verbose", action="store_true", help="name records")
    part.add_argument("--json", action="store_true")
    part = add("tables", tables, "write tables, pages and figures")
    part.add_argument("tables", nargs="*", metavar="TABLE")
    part.add_argument("--check", action="store_true", help="only compare pages")
    part.add_argument("--json", action="store_true")
    part = add(
        "verify",
        verify,
        "compare a golden run, or records computed again, with stored values",
    )
    part.add_argument("names", nargs="*", metavar="RECORD")
    part.add_argument("--stamp", action="store_true", help="mark as verified")
    part.add_argument("--record", action="store_true", help="store anew")
    part.add_argument("--work", metavar="DIR", help="models and scores")
    return parser


def main() -> int:
    r"""Runs the command; returns 2 after one sentence if the input is bad."""
    args = build_parser().parse_args()
    try:
        return args.call(args)
    except (CAGPError, OSError) as error:
        print(f"benchmark.paper: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
