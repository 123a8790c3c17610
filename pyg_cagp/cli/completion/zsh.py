r"""The script for zsh."""

from collections.abc import Sequence

from pyg_cagp.cli.completion.spec import Argument, Command

SCRIPT = """\
_pyg_cagp_either() {{
    local paths=$1
    shift
    compadd -- "$@"
    if [[ $paths == folder ]]; then _files -/; else _files; fi
}}
_pyg_cagp() {{
    local curcontext="$curcontext" state line
    local -a commands
    _arguments -C \\
        '(- *)'{{-h,--help}}'[show how it is used]' \\
        '(- *)--version[show the version]' \\
        '1:command:->command' \\
        '*::argument:->argument'
    case $state in
        command)
            commands=(
{commands}
            )
            _describe -t commands command commands
            ;;
        argument)
            case $words[1] in
{cases}
            esac
            ;;
    esac
}}
(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}
compdef _pyg_cagp pyg-cagp
"""


def script(commands: Sequence[Command]) -> str:
    r"""Returns the script.

    Args:
        commands (sequence): The commands there are.
    """
    described = [
        " " * 16 + _quote(f"{command.name}:{command.help}")
        for command in commands
    ]
    cases = []
    for command in commands:
        specs = [
            *(_option(entry, flag) for entry, flag in _flags(command)),
            *(
                _place(entry, number)
                for number, entry in enumerate(command.places, start=1)
            ),
        ]
        lines = [f"{command.name})", "    _arguments \\"]
        lines += [f"        {_quote(spec)} \\" for spec in specs[:-1]]
        lines += [f"        {_quote(specs[-1])}", "    ;;"]
        cases += [" " * 16 + line for line in lines]
    return SCRIPT.format(commands="\n".join(described), cases="\n".join(cases))


def _flags(command: Command) -> list[tuple[Argument, str]]:
    return [(entry, flag) for entry in command.options for flag in entry.flags]


def _option(entry: Argument, flag: str) -> str:
    others = " ".join(entry.flags)
    before = "*" if entry.again else f"({others})"
    if entry.takes == "none":
        return f"{before}{flag}[{_escape(entry.help)}]"
    # A value may follow in the same word: after "=", or at once.
    joint = "=" if flag.startswith("--") else "+"
    end = ":"
    if entry.takes == "many":
        # All words up to the next option.
        joint, end = "", ":*-*:"
    return (
        f"{before}{flag}{joint}[{_escape(entry.help)}]"
        f"{end}{_escape(entry.label)}:{_values(entry)}"
    )


def _place(entry: Argument, number: int) -> str:
    place = "*" if entry.takes == "many" else number
    return f"{place}:{_escape(entry.label)}:{_values(entry)}"


def _values(entry: Argument) -> str:
    words = " ".join(entry.words)
    if words and entry.paths:
        # A blank before it keeps zsh from handing over options of its own.
        return f" _pyg_cagp_either {entry.paths} {words}"
    if words:
        return f"({words})"
    # A blank alone: there is a value, but nothing to offer for it.
    return {"file": "_files", "folder": "_files -/"}.get(entry.paths, " ")


def _escape(text: str) -> str:
    for sign in "\\[]:":
        text = text.replace(sign, f"\\{sign}")
    return text


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
