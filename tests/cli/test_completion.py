"""Completion scripts, run by their shells."""

import json
import os
import pty
import select
import shutil
import subprocess
import time

import pytest

from pyg_cagp.cli.main import COMMANDS
from tests.cli.test_cli import run
from tests.loops import for_each


def needs(shell):
    missing = shutil.which(shell) is None
    return pytest.mark.skipif(missing, reason=f"{shell} is not installed")


@pytest.fixture
def script(capsys, tmp_path):
    """Writes the script of a shell to a file, in a folder with two folders."""
    here = tmp_path / "here"
    for folder in ("my_graph", "runs"):
        (here / folder).mkdir(parents=True)
    (here / "new.tsv").touch()

    def write(shell):
        code, text, err = run(capsys, "completion", shell)
        assert (code, err) == (0, "")
        path = tmp_path / f"script.{shell}"
        path.write_text(text)
        return path, here

    return write


def complete_bash(path, here, line):
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in ["pyg-cagp", *words])
    call = (
        f"COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; "
        '_shtab_pyg_cagp; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", f". {path}; {call}"],
        cwd=here,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(done.stdout.split())


@needs("bash")
@for_each(
    ("line", "expected"),
    [
        ("tra", {"train"}),
        ("--v", {"--version"}),
        ("train --model gaussian-t", {"gaussian-transe"}),
        ("train fb", {"fb15k-237"}),
        ("train my", {"my_graph"}),
        ("train synthetic --out ", {"my_graph", "runs"}),
        ("score r", {"runs"}),
        ("score runs n", {"new.tsv"}),
        ("completion ", {"bash", "zsh", "fish", "tcsh"}),
    ],
)
def test_bash_completes_words(script, line, expected):
    assert complete_bash(*script("bash"), line) == expected


@needs("bash")
def test_bash_completes_every_command(script):
    assert set(COMMANDS) <= complete_bash(*script("bash"), "")


@needs("fish")
@for_each(
    ("line", "expected"),
    [
        ("tra", {"train"}),
        ("train --model gaussian-t", {"gaussian-transe"}),
        ("train fb", {"fb15k-237"}),
        ("train my", {"my_graph/"}),
        ("score runs n", {"new.tsv"}),
    ],
)
def test_fish_completes_words(script, line, expected):
    path, here = script("fish")
    done = subprocess.run(
        ["fish", "-c", f"source {path}; complete -C 'pyg-cagp {line}'"],
        cwd=here,
        env={**os.environ, "HOME": str(here)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answers = {answer.split("\t")[0] for answer in done.stdout.splitlines()}
    assert expected <= answers


def type_into(argv, setup, typed, wanted, here, seconds=30):
    """Types at a terminal, and returns its text once it holds the answer."""
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover
        os.chdir(here)
        names = {"PS1": "> ", "TERM": "dumb", "HOME": str(here)}
        os.execvpe(argv[0], argv, {**os.environ, **names})
    shown = ""

    def wait(text):
        nonlocal shown
        end = time.monotonic() + seconds
        while text not in shown and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                shown += os.read(terminal, 4096).decode(errors="replace")

    try:
        # The terminal shows the typed text too, so the expected word differs.
        os.write(terminal, f"{setup}; echo rea''dy\n".encode())
        wait("ready")
        shown = ""
        os.write(terminal, typed.encode())
        wait(wanted)
        return shown
    finally:
        os.write(terminal, b"\x03\nexit\n")
        os.close(terminal)
        os.waitpid(pid, 0)


@needs("zsh")
@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("pyg-cagp tra\t", "pyg-cagp train "),
        ("pyg-cagp train my\t", "my_graph/"),
        ("pyg-cagp train --model gaussian-t\t", "gaussian-transe "),
    ],
)
def test_zsh_completes_words(script, typed, wanted):
    path, here = script("zsh")
    setup = f'autoload -Uz compinit; compinit -u -D; eval "$(cat {path})"'
    shown = type_into(["zsh", "-f", "-i"], setup, typed, wanted, here)
    assert wanted in shown


def test_json_contains_the_script(capsys):
    plain = run(capsys, "completion", "zsh")[1]
    code, text, err = run(capsys, "completion", "zsh", "--json")
    assert (code, err) == (0, "")
    assert json.loads(text) == {"shell": "zsh", "script": plain}
