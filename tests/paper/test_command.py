"""The command of the paper's experiments."""

import json
import subprocess
import sys

import pytest

from benchmark.paper.__main__ import main
from benchmark.paper.budget import FULL, GOLDEN
from benchmark.paper.grid import Grid, _configs
from tests.conftest import REPO


@pytest.fixture
def command(monkeypatch, capsys):
    """Calls the command; returns its exit code and what it printed."""

    def call(*args):
        monkeypatch.setattr(sys, "argv", ["benchmark.paper", *map(str, args)])
        try:
            code = main()
        except SystemExit as error:
            code = error.code
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


def test_bad_input_is_one_sentence_and_exit_code_2(command, tmp_path):
    for args, message in (
        (["run", "table2", "table5"], "(got 'table5')"),
        (["run", "--datasets", "nope"], "(got 'nope')"),
        (["tables", "table5"], "(got 'table5')"),
        (["verify", "nope/graph"], "(got 'nope/graph')"),
    ):
        code, out, err = command(*args)
        assert (code, out) == (2, ""), args
        assert message in err
        assert err.startswith("benchmark.paper: ")
        assert err.count("\n") == 1
    for args in (["--seeds", "0"], ["--jobs", "x"], ["--seed", "7"]):
        assert command("run", *args)[0] == 2


def test_a_small_table_is_computed_once(command, tmp_path):
    args = ["run", "statistics", "frequencies", "--quick", "--jobs", "1"]
    args += ["--out", tmp_path / "out", "--work", tmp_path / "work"]
    code, out, err = command(*args)
    assert code == 0, err
    assert "| golden | 394 | 12 | 2,313 | 329 | 358 |" in out
    assert "2 records were computed, 2 of 2 are in" in out
    code, out, err = command(*args)
    assert (code, "0 records were computed, 2 of 2 are in" in out) == (0, True)


def test_records_are_given_their_state_and_none_is_missing(command):
    code, out, _ = command("status", "--json")
    states = json.loads(out)
    assert code == 0
    assert list(states) == list(Grid(FULL).experiments)
    assert "not computed" not in states.values()


def test_the_command_starts_with_pinned_instructions():
    code = "import benchmark.paper.__main__, os; print(os.environ['{}'])"
    name = "ATEN_CPU_CAPABILITY"
    printed = subprocess.run(
        [sys.executable, "-c", code.format(name)],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed.stdout == "avx2\n"


def test_the_golden_run_uses_every_switch():
    """What a config of the whole grid sets, some model of it sets as well."""

    def switches(budget):
        options = set()
        for experiment in Grid(budget).experiments.values():
            inputs = experiment.inputs
            if "name" not in inputs:
                continue
            for config in _configs(experiment.dataset, inputs):
                for section, values in config.items():
                    for key, value in values.items():
                        named = isinstance(value, str | bool)
                        options.add((section, key, value if named else ""))
        return options

    assert switches(FULL) - switches(GOLDEN) == set()
