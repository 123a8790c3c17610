r"""The command :obj:`pyg-cagp completion`: scripts that let a shell complete
what is typed.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from pyg_cagp.cli.common import add_json, print_json
from pyg_cagp.cli.completion import bash, fish, zsh
from pyg_cagp.cli.completion.spec import Command, read_commands

SHELLS: dict[str, Callable[[Sequence[Command]], str]] = {
    "bash": bash.script,
    "zsh": zsh.script,
    "fish": fish.script,
}

EXAMPLE = """examples:
  eval "$(pyg-cagp completion bash)"       now, or always if in ~/.bashrc
  eval "$(pyg-cagp completion zsh)"        the same in ~/.zshrc
  pyg-cagp completion fish | source        the same in config.fish

A shell starts sooner if the script is kept in a file:
  pyg-cagp completion bash > ~/.pyg-cagp-completion
  source ~/.pyg-cagp-completion
"""


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "completion",
        help="print a script that lets a shell complete commands",
        description="Prints a script that lets a shell complete commands, "
        "options and their values, names of datasets, and paths.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=tuple(SHELLS), help="the shell")
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    r"""Prints the script."""
    from pyg_cagp.cli.main import build_parser
    from pyg_cagp.datasets.registry import REGISTRY

    names = {
        "dataset": ("synthetic", *REGISTRY),
        "device": ("cpu", "cuda", "mps"),
    }
    script = SHELLS[args.shell](read_commands(build_parser(), names))
    if args.json:
        print_json({"shell": args.shell, "script": script})
    else:
        print(script, end="")
