r"""The command :obj:`pyg-cagp train`."""

import argparse
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pyg_cagp._utils.table import format_table
from pyg_cagp.cli.common import (
    add_common,
    add_device,
    dataset_name,
    find_device,
    print_json,
)
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import ModelName, Recipe

if TYPE_CHECKING:
    from pyg_cagp.transforms import TimestampOOD


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "train",
        help="train a Gaussian model into a folder",
        description="Trains a model, fits its posterior, and writes both to a "
        "folder. 'tensorboard --logdir RUN' shows the training; 'pyg-cagp "
        "score', 'predict', 'update' and 'evaluate' use the folder.",
        epilog="example: pyg-cagp train my_graph/ --model gaussian-complex "
        "--out runs/mine",
    )
    parser.add_argument(
        "dataset", type=dataset_name, help="the name of a dataset, or a folder"
    )
    parser.add_argument(
        "--model",
        choices=get_args(ModelName),
        help="the model (default: gaussian-distmult)",
    )
    parser.add_argument(
        "--out",
        metavar="RUN",
        help="the folder of the run (default: runs/DATASET-MODEL-SEED)",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue an interrupted run, with bit-equal results",
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--recipe",
        choices=get_args(Recipe),
        help="use the recipe of the paper instead of the shipped config, or "
        "of one that is chosen by the size of the graph",
    )
    source.add_argument(
        "--config", metavar="FILE", help="a TOML file with the config"
    )
    parser.add_argument(
        "--set",
        metavar="SECTION.KEY=VALUE",
        action="append",
        default=[],
        help="change one value of the config, such as train.epochs=5",
    )
    _add_cuts(parser)
    add_device(parser, "train")
    add_common(parser)


def _add_cuts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--by-time",
        action="store_true",
        help="split a dated graph into past and future, for 'pyg-cagp "
        "evaluate RUN --protocol timestamp'",
    )
    for flag, split in (("--cutoff", "test"), ("--val-cutoff", "validation")):
        parser.add_argument(
            flag,
            metavar="DATE",
            type=parse_value,
            help=f"with --by-time, the time from which triples are {split} "
            f"triples: a date or a share of the triples (default: that of the "
            f"dataset, or a share)",
        )


def run(args: argparse.Namespace) -> None:
    r"""Runs the command."""
    from pyg_cagp.datasets import load
    from pyg_cagp.inference import prepare
    from pyg_cagp.train import Config, train_run

    if args.config and args.model:
        raise InvalidInputError(
            "'--config' names the model; leave out '--model'"
        )
    config = Config.from_file(args.config) if args.config else None
    changes = dict(map(parse_change, args.set))
    device = find_device(args.device)
    cut = _time_cut(args)
    kg = load(args.dataset, root=args.root, seed=args.seed)
    if cut is not None:
        kg = cut(kg)
    if config is None:
        config = Config.resolve(
            kg,
            args.model or "gaussian-distmult",
            dataset=args.dataset,
            recipe=args.recipe,
        )
    config = config.override(changes)
    name = config.model["name"]
    out = args.out or f"runs/{Path(args.dataset).name}-{name}-{args.seed}"
    result = train_run(
        kg,
        config,
        out=out,
        dataset=args.dataset,
        seed=args.seed,
        resume=args.resume,
        device=device,
        progress=not args.json,
    )
    if not args.json:
        print("pyg-cagp: fitting uncertainties ...", file=sys.stderr)
    fitted = prepare(
        out, kg, result.model, seed=args.seed, progress=not args.json
    )
    inference = {key: fitted[key] for key in ("tau", "threshold", "conformal")}
    record = {"run": str(out), **result.record, "inference": inference}
    if args.json:
        print_json(record)
        return
    print(format_table([("dataset", args.dataset), *_rows(record)]))


def _rows(record: dict[str, Any]) -> list[tuple[str, str]]:
    seconds, threshold = record["seconds"], record["inference"]["threshold"]
    return [
        ("model", record["config"]["model"]["name"]),
        ("triples", f"{record['graph']['num_train']:,}"),
        ("best epoch", f"{record['best_epoch']} of {record['epochs']}"),
        *(
            (key.replace("val/", "validation "), f"{value:.4f}")
            for key, value in record["validation"].items()
        ),
        ("prior variance", f"{record['prior_variance']:.4g}"),
        ("training", f"{seconds['training']:.0f} s"),
        ("posterior", f"{seconds['posterior']:.0f} s"),
        (
            "abstain from p_ood",
            "-" if threshold is None else f"{threshold:.4f}",
        ),
        ("folder", record["run"]),
    ]


def _time_cut(args: argparse.Namespace) -> "TimestampOOD | None":
    from pyg_cagp.datasets.registry import cutoffs
    from pyg_cagp.transforms import TimestampOOD

    cuts = args.cutoff, args.val_cutoff
    num_given = sum(cut is not None for cut in cuts)
    if num_given == 1 or (num_given and not args.by_time):
        raise InvalidInputError(
            "'--cutoff' and '--val-cutoff' must be given together, and with "
            "'--by-time'"
        )
    if not args.by_time:
        return None
    return TimestampOOD(*(cuts if num_given else cutoffs(args.dataset)))


def parse_change(text: str) -> tuple[str, Any]:
    r"""Parses :obj:`SECTION.KEY=VALUE`, with a value in TOML.

    Example:
        >>> parse_change("train.lr=0.1"), parse_change("model.name=kg2e")
        (('train.lr', 0.1), ('model.name', 'kg2e'))
    """
    key, equals, value = text.partition("=")
    if not equals:
        raise InvalidInputError(
            f"'--set {text}' must be written as SECTION.KEY=VALUE"
        )
    return key, parse_value(value)


def parse_value(text: str) -> Any:
    r"""Parses a value in TOML. A word needs no quotes.

    Example:
        >>> parse_value("0.75"), parse_value("kg2e")
        (0.75, 'kg2e')
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
