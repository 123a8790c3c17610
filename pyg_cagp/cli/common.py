r"""Arguments and functions that commands share."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from pyg_cagp._utils.names import dataset_key
from pyg_cagp.exceptions import InvalidInputError

if TYPE_CHECKING:
    import torch


class CommandParser(argparse.ArgumentParser):
    r"""The parser of a command. Its epilog may be a function, which is called
    when the help is printed and not before.
    """

    def format_help(self) -> str:
        r"""Returns the help text."""
        if callable(self.epilog):
            self.epilog = self.epilog()
        return super().format_help()


def add_common(parser: argparse.ArgumentParser) -> None:
    r"""Adds the options of commands that load a graph."""
    add_json(parser)
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the folder that holds datasets (default: $PYG_CAGP_DATA, or a "
        "cache)",
    )
    parser.add_argument(
        "--seed", type=_seed, default=0, help="the seed (default: 0)"
    )


def _seed(text: str) -> int:
    value = int(text)
    if not 0 <= value < 2**63:
        raise argparse.ArgumentTypeError(f"must lie in [0, 2^63) (got {text})")
    return value


def add_json(parser: argparse.ArgumentParser) -> None:
    r"""Adds the option for JSON output."""
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON document, and nothing else, to standard output",
    )


def dataset_name(text: str) -> str:
    r"""Returns the name of a dataset in lower case. The path of a folder or
    file of triples is not changed.

    Example:
        >>> dataset_name("FB15k-237"), dataset_name("My_Graph/")
        ('fb15k-237', 'My_Graph/')
    """
    from pyg_cagp.datasets.registry import names

    key = dataset_key(text)
    return key if key in names() else text


def add_run_folder(parser: argparse.ArgumentParser) -> None:
    r"""Adds the argument of a run."""
    parser.add_argument("run_folder", metavar="RUN", help="the trained run")


def add_run(parser: argparse.ArgumentParser) -> None:
    r"""Adds the arguments of commands that evaluate a run on its graph."""
    add_run_folder(parser)
    parser.add_argument(
        "--dataset",
        type=dataset_name,
        help="the path of the graph, if it has moved (default: that in "
        "RUN/run.json)",
    )
    add_device(parser)
    add_common(parser)


def add_triples(parser: argparse.ArgumentParser) -> None:
    r"""Adds the arguments of commands that read triples for a run."""
    add_run_folder(parser)
    parser.add_argument(
        "triples",
        metavar="TRIPLES",
        help="head, relation and tail by their names, as text, CSV (gzipped "
        "or not) or Parquet",
    )
    parser.add_argument(
        "--skip-malformed",
        action="store_true",
        help="count and skip rows that are not triples, instead of raising an "
        "error",
    )


def add_device(parser: argparse.ArgumentParser, verb: str = "compute") -> None:
    r"""Adds the option for the device of a model."""
    parser.add_argument(
        "--device",
        default="cpu",
        help=f"the device to {verb} on (default: cpu)",
    )


def find_device(name: str) -> "torch.device":
    r"""Returns a device by its name, after a check that it can be used."""
    import torch

    try:
        device = torch.device(name)
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidInputError(
            f"'--device {name}' cannot be used ({reason})"
        ) from None
    return device


def print_json(document: Any) -> None:
    r"""Prints one JSON document."""
    print(json.dumps(document, indent=2, allow_nan=False))
