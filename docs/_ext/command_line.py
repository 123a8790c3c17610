r"""The page of the command line, made from its parser."""

import argparse
import re

from pyg_cagp.cli.main import build_parser

WIDTH = 76
TITLE = "Command line"
SIGNS = re.compile(r"(?<!\w)'([^']+)'(?!\w)|(?<!\S)--[a-z-]+|[\\`*_|<>]")


def page() -> str:
    r"""Writes the page."""
    parser = build_parser()
    lines = [TITLE, "=" * len(TITLE), "", plain(parser.description), ""]
    lines += [".. code-block:: text", "", *indented(usage(parser)), ""]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {a.dest: a.help for a in action._choices_actions}
            for name, command in action.choices.items():
                lines += section(name, command, helps.get(name))
    return "\n".join(lines)


def section(
    name: str, parser: argparse.ArgumentParser, help_: str | None
) -> list[str]:
    r"""Writes about one command."""
    title = f"pyg-cagp {name}"
    lines = [title, "-" * len(title), "", f".. program:: {title}", ""]
    lines += [plain(parser.description or help_), ""]
    lines += [".. code-block:: text", "", *indented(usage(parser)), ""]
    for action in parser._actions:
        if not isinstance(action, argparse._HelpAction):
            lines += [f".. option:: {signature(action)}", ""]
            lines += [f"   {plain(explanation(action, parser))}", ""]
    parser.format_help()  # It completes the epilog.
    if parser.epilog:
        lines += epilog(parser.epilog)
    return lines


def usage(parser: argparse.ArgumentParser) -> str:
    r"""Returns the usage of a command, whatever the terminal's width."""
    formatter = parser.formatter_class(prog=parser.prog, width=WIDTH)
    formatter.add_usage(
        parser.usage, parser._actions, parser._mutually_exclusive_groups
    )
    return formatter.format_help().strip()


def signature(action: argparse.Action) -> str:
    r"""Returns an option with the name of its value."""
    value = ""
    if action.nargs != 0:
        value = str(action.metavar or action.dest.upper())
        if action.choices is not None and action.metavar is None:
            value = "{" + ",".join(map(str, action.choices)) + "}"
    if not action.option_strings:
        return str(action.metavar or action.dest)
    return ", ".join(
        f"{name} {value}".strip() for name in action.option_strings
    )


def explanation(
    action: argparse.Action, parser: argparse.ArgumentParser
) -> str:
    r"""Returns the help of an option as :obj:`--help` prints it."""
    values = {**vars(action), "prog": parser.prog}
    text = (action.help or "") % values
    return (
        f"{text} (required)"
        if action.required and (action.option_strings)
        else text
    )


def epilog(text: str) -> list[str]:
    r"""Keeps the lines of what stands at the end of the help."""
    first, _, rest = text.strip().partition("\n")
    if not rest:  # "example: ..." on one line.
        word, _, command = first.partition(": ")
        return [
            f"{word.capitalize()}:",
            "",
            ".. code-block:: bash",
            "",
            f"   {command}",
            "",
        ]
    return [".. code-block:: text", "", *indented(text.strip()), ""]


def indented(text: str) -> list[str]:
    r"""Moves lines to where a directive has its content."""
    return [f"   {line}".rstrip() for line in text.splitlines()]


def plain(text: str | None) -> str:
    r"""Returns a sentence in which no sign means anything; what is quoted, and
    options, are set as code.
    """

    def sign(match: re.Match[str]) -> str:
        found = match[1] or match[0]
        return f"\\{found}" if len(match[0]) == 1 else f"``{found}``"

    text = SIGNS.sub(sign, " ".join((text or "").split()))
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?")) or not text else f"{text}."
