r"""The commands and options to complete, read off the parser."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: What arguments hold that are called so, in help texts and in code: paths,
#: or names of a kind.
PATHS = {
    "DIR": "folder",
    "RUN": "folder",
    "FILE": "file",
    "TRIPLES": "file",
    "OUT": "file",
    "dataset": "file",
}
NAMES = {
    "dataset": "dataset",
    "datasets": "dataset",
    "device": "device",
}


@dataclass(frozen=True)
class Argument:
    r"""An option, or an argument that is given by its place.

    Args:
        flags (tuple): How an option is written; nothing for the others.
        label (str): What its value is called.
        help (str): What it is, in a few words.
        takes (str): How many values it takes: :obj:`"none"`, :obj:`"one"` or
            :obj:`"many"`.
        words (tuple): What the value may be.
        paths (str): :obj:`"file"` or :obj:`"folder"` if it may be a path.
        again (bool): Whether an option may be given more than once.
    """

    flags: tuple[str, ...]
    label: str
    help: str
    takes: str
    words: tuple[str, ...] = ()
    paths: str = ""
    again: bool = False


@dataclass(frozen=True)
class Command:
    r"""A command with its options and arguments.

    Args:
        name (str): Its name.
        help (str): What it does, in a few words.
        options (tuple): Its options.
        places (tuple): Its other arguments, in their order.
    """

    name: str
    help: str
    options: tuple[Argument, ...]
    places: tuple[Argument, ...]


def read_commands(
    parser: argparse.ArgumentParser, names: Mapping[str, Sequence[str]]
) -> list[Command]:
    r"""Returns what the commands of a parser take.

    Args:
        parser (argparse.ArgumentParser): The parser of the whole command line.
        names (dict): The names that there are of each kind.
    """
    found = []
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        about = {entry.dest: entry.help for entry in action._choices_actions}
        for name, command in action.choices.items():
            arguments = [
                _argument(entry, names)
                for entry in command._actions
                if entry.help != argparse.SUPPRESS
            ]
            found.append(
                Command(
                    name,
                    about.get(name) or "",
                    tuple(entry for entry in arguments if entry.flags),
                    tuple(entry for entry in arguments if not entry.flags),
                )
            )
    return found


def _argument(
    action: argparse.Action, names: Mapping[str, Sequence[str]]
) -> Argument:
    takes = "one"
    if action.nargs == 0:
        takes = "none"
    elif action.nargs in ("*", "+"):
        takes = "many"
    label = str(action.metavar or action.dest)
    words = action.choices or names.get(NAMES.get(action.dest, ""), ())
    return Argument(
        flags=tuple(action.option_strings),
        label=label,
        help=_short((action.help or "") % vars(action)),
        takes=takes,
        words=tuple(map(str, words)),
        paths=PATHS.get(label, PATHS.get(action.dest, "")),
        again=isinstance(action, argparse._AppendAction),
    )


def _short(text: str) -> str:
    r"""Leaves out what a list of options has no room for."""
    return " ".join(text.split(" (", 1)[0].split(";", 1)[0].split())
