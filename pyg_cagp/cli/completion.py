r"""The command :obj:`pyg-cagp completion`."""

import argparse
from typing import Any

from pyg_cagp.cli.common import add_json, print_json

SHELLS = ("bash", "zsh", "fish", "tcsh")
#: The kind of path of an argument, by the name of its value.
PATHS = {
    **dict.fromkeys(("DIR", "RUN"), "directory"),
    **dict.fromkeys(("FILE", "TRIPLES", "OUT"), "file"),
}

EXAMPLE = """examples:
  eval "$(pyg-cagp completion bash)"       add this line to ~/.bashrc
  eval "$(pyg-cagp completion zsh)"        add this line to ~/.zshrc
  pyg-cagp completion fish | source        add this line to config.fish
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
    parser.add_argument("shell", choices=SHELLS, help="the shell")
    add_json(parser)


def run(args: argparse.Namespace) -> None:
    r"""Prints the script."""
    import shtab

    from pyg_cagp.cli.main import build_parser

    parser = build_parser()
    dataset = _dataset_completer()
    for action in _arguments(parser):
        path = PATHS.get(str(action.metavar))
        if action.dest in ("dataset", "datasets"):
            action.complete = dataset  # type: ignore[attr-defined]
        elif path is not None:
            action.complete = shtab.CHOICE_FUNCTIONS[path]  # type: ignore[attr-defined]
    script = shtab.complete(parser, args.shell)
    if args.json:
        print_json({"shell": args.shell, "script": script})
    else:
        print(script, end="")


def _arguments(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    arguments = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                arguments += command._actions
    return arguments


def _dataset_completer() -> dict[str, Any]:
    r"""Returns the completion of datasets: names, folders and files."""
    from pyg_cagp.datasets.registry import REGISTRY

    names = " ".join(("synthetic", *REGISTRY))
    function = "_pyg_cagp_dataset"
    return {
        "bash": function,
        "zsh": f"_alternative 'n:name:({names})' 'f:file:_files'",
        "tcsh": "f",
        "fish": f"(printf '%s\\n' {names}; "
        f"__fish_complete_path (commandline -ct))",
        "preamble": {
            "bash": f"{function}() {{\n"
            f'  compgen -W "{names}" -- "$1"\n'
            f'  compgen -f -- "$1"\n'
            f"}}"
        },
    }
