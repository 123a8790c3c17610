"""Completion scripts, asked by the shells they are for."""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from pyg_cagp.cli import main
from pyg_cagp.cli.main import COMMANDS
from tests.cli.test_cli import run

NAMES = COMMANDS


def needs(shell):
    missing = shutil.which(shell) is None
    return pytest.mark.skipif(missing, reason=f"{shell} is not installed")


@pytest.fixture
def script(capsys, tmp_path):
    """Writes the script of a shell to a file, and makes something to find."""
    here = tmp_path / "here"
    for folder in ("my graph", "runs"):
        (here / folder).mkdir(parents=True)
    (here / "new.tsv").touch()

    def write(shell):
        code, text, err = run(capsys, "completion", shell)
        assert (code, err) == (0, "")
        path = tmp_path / f"script.{shell}"
        path.write_text(text)
        return path, here

    return write


# Bash, asked for many lines at once: the words before the cursor, as bash
# itself would cut them.
ASK = """
for line in "${LINES_ASKED[@]}"; do
    IFS='|' read -r -a COMP_WORDS <<< "pyg-cagp|$line|"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _pyg_cagp
    (IFS='|'; echo "${COMPREPLY[*]}")
done
"""


def ask_bash(path, here, lines):
    asked = "LINES_ASKED=(" + " ".join(f"'{line}'" for line in lines) + ")"
    done = subprocess.run(
        ["bash", "--norc", "-c", f'eval "$(cat {path})"\n{asked}\n{ASK}'],
        cwd=here,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    answers = [set(filter(None, a.split("|"))) for a in done.stdout.split("\n")]
    return dict(zip(lines, answers, strict=False))


@needs("bash")
def test_bash(script):
    expected = {
        "tra": {"train"},
        "--v": {"--version"},
        "train|--model|gaussian-t": {"gaussian-transe"},
        "train|--model|=|gaussian-t": {"gaussian-transe"},
        "train|--model|=": {
            "gaussian-distmult",
            "gaussian-complex",
            "gaussian-transe",
            "gaussian-rotate",
            "kg2e",
        },
        "train|fb": {"fb15k-237"},
        "train|my": {"my graph"},
        "train|--resume|wn": {"wn18rr"},
        "train|synthetic|--out|": {"my graph", "runs"},
        "train|synthetic|--recipe|": {"paper"},
        "score|": {"my graph", "runs"},
        "score|runs|n": {"new.tsv"},
        "score|runs|--device|c": {"cpu", "cuda"},
        "score|--device|cpu|runs|n": {"new.tsv"},
        "score|runs|new.tsv|-o|": {"my graph", "runs", "new.tsv"},
        "score|runs|new.tsv|n": set(),
        "predict|runs|--head|n": set(),
        "completion|": {"bash", "zsh", "fish"},
        "nonsense|": set(),
    }
    assert ask_bash(*script("bash"), list(expected)) == expected


@needs("bash")
def test_bash_knows_all_that_the_help_knows(script, capsys):
    found = ask_bash(*script("bash"), ["", *(f"{name}|-" for name in NAMES)])
    assert found[""] == {*NAMES, "--help", "--version"}
    for name in NAMES:
        with pytest.raises(SystemExit):
            main([name, "--help"])
        text = capsys.readouterr().out
        listed = re.findall(r"^  (-.*?)(?:  |$)", text, re.MULTILINE)
        flags = set(re.findall(r"(?<!\w)--?[a-z][a-z-]*", " ".join(listed)))
        assert {"-h", "--help", "--json"} <= flags
        assert flags == found[f"{name}|-"]


@needs("fish")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tra", {"train"}),
        ("train --model gaussian-t", {"gaussian-transe"}),
        ("train fb", {"fb15k-237"}),
        ("train my", {"my graph/"}),
        ("score runs n", {"new.tsv"}),
        ("predict runs --head n", set()),
        ("evaluate runs --protocol con", {"conformal"}),
    ],
)
def test_fish(script, line, expected):
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
    found = {answer.split("\t")[0] for answer in done.stdout.splitlines()}
    assert found == expected


def type_into(argv, setup, typed, wanted, here, seconds=30):
    """Types at a terminal, and returns what it shows, until it is there."""
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
        # What is typed is shown, too, so the word must be another there.
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


TYPED = [
    ("pyg-cagp tra\t", "pyg-cagp train "),
    ("pyg-cagp train my\t", "my\\ graph/"),
    ("pyg-cagp train --model=gaussian-t\t", "--model=gaussian-transe "),
    ("pyg-cagp evaluate runs --dataset wn\t", "--dataset wn18rr "),
]


@needs("bash")
@pytest.mark.parametrize(("typed", "wanted"), TYPED[:3])
def test_bash_at_a_terminal(script, typed, wanted):
    path, here = script("bash")
    argv = ["bash", "--norc", "--noprofile", "-i"]
    shown = type_into(argv, f". {path}", typed, wanted, here)
    assert wanted in shown


@needs("zsh")
@pytest.mark.parametrize(("typed", "wanted"), TYPED)
def test_zsh_at_a_terminal(script, typed, wanted):
    path, here = script("zsh")
    setup = f"autoload -Uz compinit; compinit -u -D; . {path}"
    shown = type_into(["zsh", "-f", "-i"], setup, typed, wanted, here)
    assert wanted in shown


def test_as_json(capsys):
    plain = run(capsys, "completion", "zsh")[1]
    code, text, err = run(capsys, "completion", "zsh", "--json")
    assert (code, err) == (0, "")
    assert json.loads(text) == {"shell": "zsh", "script": plain}
