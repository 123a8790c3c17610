r"""The entry point of :obj:`pyg-cagp`."""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module

from pyg_cagp import __version__
from pyg_cagp.cli.common import CommandParser
from pyg_cagp.exceptions import CAGPError, CAGPWarning

#: The commands, each a module of its name, in the order of the help.
COMMANDS = (
    *("quickstart", "datasets", "partition", "train", "tune", "score"),
    *("predict", "update", "evaluate", "report", "completion"),
)


def build_parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    r"""Returns the parser of some commands, whose modules are imported."""
    parser = argparse.ArgumentParser(
        prog="pyg-cagp",
        description="Know when a knowledge-graph prediction should not be "
        "trusted.",
    )
    parser.add_argument(
        "--version", action="version", version=f"pyg-cagp {__version__}"
    )
    commands = parser.add_subparsers(
        title="commands",
        dest="command",
        required=True,
        metavar="COMMAND",
        parser_class=CommandParser,
    )
    for name in names:
        module = import_module(f"pyg_cagp.cli.{name}")
        module.add_command(commands)
        commands.choices[name].set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    r"""Runs a command, by default with the arguments of the process, and
    returns its exit code: 0, 2 on bad input, 130 if it was interrupted.
    """
    argv = sys.argv[1:] if argv is None else argv
    # Imports the module of the called command only.
    called = [name for name in argv[:1] if name in COMMANDS]
    args = build_parser(called or COMMANDS).parse_args(argv)
    before = warnings.formatwarning
    warnings.formatwarning = _format_warning
    try:
        code = args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # Standard output was closed, for example by `head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (CAGPError, OSError) as error:
        print(f"pyg-cagp: {_sentence(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("pyg-cagp: interrupted", file=sys.stderr)
        return 130
    finally:
        warnings.formatwarning = before
    return int(code or 0)


def _sentence(error: Exception) -> str:
    r"""Returns the message of an error, with the file of a system error."""
    if not isinstance(error, OSError) or isinstance(error, CAGPError):
        return str(error)
    path = error.filename2 or error.filename
    if path is None or error.strerror is None:
        return str(error)
    return f"'{os.fspath(path)}' cannot be used ({error.strerror})"


def _format_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    r"""Returns a warning of the package in the form of an error."""
    if issubclass(category, CAGPWarning):
        return f"pyg-cagp: {message}\n"
    return _STANDARD_FORMAT(message, category, filename, lineno, line)


_STANDARD_FORMAT = warnings.formatwarning
