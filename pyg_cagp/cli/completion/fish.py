r"""The script for fish."""

from collections.abc import Sequence

from pyg_cagp.cli.completion.spec import Argument, Command


def script(commands: Sequence[Command]) -> str:
    r"""Returns the script.

    Args:
        commands (sequence): The commands there are.
    """
    no_command = "-n __fish_use_subcommand"
    lines = [
        # No file names where no file is meant.
        "complete -c pyg-cagp -f",
        f"complete -c pyg-cagp {no_command} -s h -l help",
        f"complete -c pyg-cagp {no_command} -l version",
    ]
    for command in commands:
        about = _quote(command.help)
        lines.append(
            f"complete -c pyg-cagp {no_command} -a {command.name} -d {about}"
        )
    for command in commands:
        here = f"-n '__fish_seen_subcommand_from {command.name}'"
        for entry in (*command.options, *command.places):
            lines.append(f"complete -c pyg-cagp {here} {_rest(entry)}")
    return "\n".join(lines) + "\n"


def _rest(entry: Argument) -> str:
    parts = [
        f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
        for flag in entry.flags
    ]
    if entry.flags and entry.takes != "none":
        # A value is needed, and unless it is a file, it is none.
        parts.append("-r" if entry.paths == "file" else "-x")
    offered = list(entry.words)
    if entry.paths == "folder":
        offered.append("(__fish_complete_directories)")
    if entry.paths == "file":
        parts.append("-F")
    if offered:
        parts.append(f"-a {_quote(' '.join(offered))}")
    if entry.help and entry.flags:
        parts.append(f"-d {_quote(entry.help)}")
    return " ".join(parts)


def _quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
