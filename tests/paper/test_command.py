"""The command of the paper's experiments."""

import json
import re
import subprocess
import sys

import pytest

from benchmark.paper import __main__ as main_module
from benchmark.paper import write_tables
from benchmark.paper.__main__ import main
from benchmark.paper.budget import FULL, GOLDEN
from benchmark.paper.grid import Grid, _configs
from benchmark.paper.tables import TABLES
from tests.conftest import REPO


@pytest.fixture
def command(monkeypatch, capsys):
    """Calls the command; returns its exit code and its output."""

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


def test_tables_check_names_changed_pages(command, monkeypatch, tmp_path):
    path = tmp_path / "page.md"
    marks = [f"<!-- table {name} -->\n<!-- end -->\n" for name in TABLES]
    path.write_text("# Title\n" + "".join(marks))
    monkeypatch.setattr(write_tables, "REPO", tmp_path)
    monkeypatch.setattr(write_tables, "PAGES", (path.name,))
    monkeypatch.setattr(main_module, "draw_figures", lambda *args: None)
    text = path.read_text()
    assert command("tables", "--check")[0] == 1
    assert path.read_text() == text
    assert command("tables") == (0, "page.md was written\n", "")
    written = path.read_text()
    assert command("tables", "--check") == (0, "", "")
    # A changed figure is named and rewritten.
    figure = re.search(r"\| 0\.\d+ ", written)[0]
    path.write_text(written.replace(figure, "| 7.0000 ", 1))
    code, _, err = command("tables", "--check")
    assert (code, "page.md" in err) == (1, True)
    command("tables")
    assert path.read_text() == written
    # A table that is in no page is named.
    path.write_text(written.replace("table verdicts", "table statistics"))
    assert "'verdicts'" in command("tables", "--check")[2]


def test_a_small_table_is_computed_once(command, tmp_path):
    args = ["run", "statistics", "frequencies", "--quick", "--jobs", "1"]
    args += ["--out", tmp_path / "out", "--work", tmp_path / "work"]
    code, out, err = command(*args)
    assert code == 0, err
    assert "| golden | 394 | 12 | 2,313 | 329 | 358 |" in out
    assert "2 records were computed, 2 of 2 are in" in out
    code, out, err = command(*args)
    assert (code, "0 records were computed, 2 of 2 are in" in out) == (0, True)


def test_status_of_all_records(command):
    code, out, _ = command("status", "--json")
    states = json.loads(out)
    assert code == 0
    assert list(states) == list(Grid(FULL).experiments)
    assert "not computed" not in states.values()


def test_command_pins_the_cpu_instructions():
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


def test_golden_run_uses_each_option_of_the_grid():
    """Each option of a config of the grid is used by the golden grid."""

    def options_of(budget):
        options = set()
        for experiment in Grid(budget).experiments.values():
            inputs = experiment.inputs
            if "name" not in inputs:
                continue
            for config in _configs(experiment.dataset, inputs):
                for section, values in config.items():
                    for key, value in values.items():
                        is_choice = isinstance(value, str | bool)
                        options.add((section, key, is_choice and value))
        return options

    assert options_of(FULL) - options_of(GOLDEN) == set()
