r"""The script for bash."""

import shlex
from collections.abc import Sequence

from pyg_cagp.cli.completion.spec import Argument, Command

# Words before the one being completed show which command it belongs to, at
# which place it stands, and whether it is the value of an option. Bash takes
# "=" for a word of its own.
SCRIPT = """\
_pyg_cagp() {{
    local cur="${{COMP_WORDS[COMP_CWORD]}}" command="" place=0 word
    local takes="none" words="" paths=""
    [[ $cur == "=" ]] && cur=""
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        if [[ $word == "=" ]]; then
            continue
        elif [[ -z $command ]]; then
            [[ $word == -* ]] || command=$word
        elif [[ $word == -* ]]; then
            takes="none" words="" paths=""
            case "$command $word" in
{options}
            esac
        elif [[ $takes == one ]]; then
            takes="none" words="" paths=""
        elif [[ $takes == none ]]; then
            place=$((place + 1))
        fi
    done
    if [[ -z $command ]]; then
        words={commands}
    elif [[ $takes != one && $cur == -* ]]; then
        words="" paths=""
        case "$command" in
{flags}
        esac
    elif [[ $takes == none ]]; then
        case "$command $place" in
{places}
        esac
    fi
    COMPREPLY=()
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(
        compgen -W "$words" -- "$cur"
        [[ $paths == file ]] && compgen -f -- "$cur"
        [[ $paths == folder ]] && compgen -d -- "$cur"
    )
    # Readline knows how to quote a name, and how to complete a quoted one.
    case "$paths" in
        file) compopt -o filenames -o default 2>/dev/null ;;
        folder) compopt -o filenames -o dirnames 2>/dev/null ;;
    esac
    return 0
}}
complete -F _pyg_cagp pyg-cagp
"""


def script(commands: Sequence[Command]) -> str:
    r"""Returns the script.

    Args:
        commands (sequence): The commands there are.
    """
    names = [command.name for command in commands]
    options, flags, places = [], [], []
    for command in commands:
        every = [flag for entry in command.options for flag in entry.flags]
        flags.append(f"{command.name}) words={_words(every)} ;;")
        for entry in command.options:
            if entry.takes == "none":
                continue
            either = "|".join(
                shlex.quote(f"{command.name} {flag}") for flag in entry.flags
            )
            options.append(f"{either}) takes={entry.takes} {_values(entry)} ;;")
        for number, entry in enumerate(command.places):
            place = "*" if entry.takes == "many" else number
            places.append(f'"{command.name} "{place}) {_values(entry)} ;;')
    return SCRIPT.format(
        commands=_words([*names, "--help", "--version"]),
        options=_lines(options, 16),
        flags=_lines(flags, 12),
        places=_lines(places, 12),
    )


def _values(entry: Argument) -> str:
    return f"words={_words(entry.words)} paths={shlex.quote(entry.paths)}"


def _words(words: Sequence[str]) -> str:
    return shlex.quote(" ".join(words))


def _lines(arms: Sequence[str], indent: int) -> str:
    return "\n".join(" " * indent + arm for arm in arms)
