"""The tables of the paper by the command line, small."""

import json
import os
import subprocess
import sys

import pytest
from pyg_cagp.cli.table_names import TABLE_NAMES

from benchmark.paper import TABLES
from benchmark.paper.command import _failures, _reason
from benchmark.paper.tables import Spread
from benchmark.paper.tables.detection import METHODS
from pyg_cagp.cli import main

#: Confidences are those of NL27k.
WITHOUT_ROWS = {"confidences"}
#: Verdicts are on the paper's graphs.
EMPTY = WITHOUT_ROWS | {"verdicts"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["table2", "table5"], "(got 'table5')"),
        (["--tables-only"], "there are no records in"),
        (["--datasets", "synthetic", "nope"], "(got 'nope')"),
        (["--datasets", "synthetic", "table1"], "tables before '--datasets'"),
        (["--tables-only", "table2"], "leave out '--tables-only'"),
        (["--datasets", "."], "take folders of triples"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    capsys, tmp_path, args, message
):
    out = tmp_path / "out"
    out.mkdir()
    code = main(["reproduce", *args, "--out", str(out)])
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    assert message in captured.err
    assert captured.err.startswith("pyg-cagp: ")
    assert captured.err.count("\n") == 1
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("flag", ["--out", "--work"])
@pytest.mark.parametrize("below", ["", "x", "x/y"])
def test_a_file_in_place_of_a_folder(capsys, tmp_path, flag, below):
    file = tmp_path / "file"
    file.write_text("mine")
    assert main(["reproduce", "--quick", flag, str(file / below)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"'{flag}' must be a folder" in captured.err
    assert f"'{file}' is a file" in captured.err
    assert file.read_text() == "mine"


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5"])
@pytest.mark.parametrize("flag", ["--seeds", "--jobs"])
def test_numbers_are_positive(capsys, flag, number):
    with pytest.raises(SystemExit) as caught:
        main(["reproduce", f"{flag}={number}"])
    assert caught.value.code == 2
    assert "must be a positive whole number" in capsys.readouterr().err


def test_help_names_every_table():
    assert list(TABLE_NAMES) == list(TABLES)


def test_a_seed_is_not_taken_for_a_number_of_seeds(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["reproduce", "statistics", "--seed=7"])
    assert caught.value.code == 2
    assert "--seed=7" in capsys.readouterr().err


def test_a_reason_is_told_once():
    failed = {"a/one": "no file", "b/one": "no memory", "a/two": "no file"}
    assert _failures(failed) == [
        "pyg-cagp: a/one and 1 more were not computed: no file",
        "pyg-cagp: b/one was not computed: no memory",
    ]


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    ("dataset", "folder", "why"),
    [
        ("yago3-10", "YAGO3-10", "train.txt"),
        ("yago-sample", "YAGO-sample", "it is not at '"),
    ],
)
def test_graphs_are_computed_where_their_files_are(
    capsys, tmp_path, monkeypatch, dataset, folder, why, there
):
    """Not computed here: only which cells would be."""
    raw = tmp_path / "data" / folder / "raw"
    if there:
        raw.mkdir(parents=True)
    for name in ("train.txt", "valid.txt", "test.txt") if there else ():
        (raw / name).touch()
    seen = []

    def run_cells(cells, *args, **options):
        seen.extend(cell.dataset for cell in cells)
        return 3, {}

    monkeypatch.setattr("benchmark.paper.run_cells", run_cells)
    args = ["--root", str(tmp_path / "data"), "--out", str(tmp_path / "out")]
    assert main(["reproduce", "statistics", *args]) == 0
    assert (dataset in seen) == there
    assert "fb15k-237" in seen
    err = capsys.readouterr().err
    assert (f"{dataset} is left out, as {why}" in err) != there
    number = len(seen)
    assert "3 records were computed in 0:00:0" in err
    assert f"; {number} of {number} are there" in err


class Grid:
    """The small grid, whole, with folders of its own."""

    def __init__(self, folder):
        self.out = folder / "out"
        self.work = folder / "work"
        self.env = {**os.environ, "PYG_CAGP_CACHE": str(folder / "cache")}
        self.env.pop("PYG_CAGP_DATA", None)
        self.first = self.run()

    def run(self, *args):
        command = "--quick --jobs 2 --json"
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pyg_cagp", "reproduce", *args),
                *command.split(),
                *("--out", str(self.out), "--work", str(self.work)),
            ],
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def times(self):
        return {
            path: path.stat().st_mtime_ns for path in self.out.rglob("*.json")
        }


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    return Grid(tmp_path_factory.mktemp("reproduce"))


@pytest.fixture(scope="module")
def tables(grid):
    return {table["name"]: table for table in grid.first["tables"]}


def test_the_small_grid(grid, tables):
    assert grid.first["failed"] == {}
    assert grid.first["records"] == str(grid.out)
    assert list(tables) == list(TABLES)
    assert {n for n, t in tables.items() if not t["rows"]} == WITHOUT_ROWS
    for table in (tables["table2"], tables["appendix"]):
        assert table["title"].endswith("synthetic")
        assert table["columns"] == ["method", "emerging", "novel", "overall"]
        assert [row[0] for row in table["rows"]] == list(METHODS.values())
        for row in table["rows"]:
            for figure in row[1:]:
                assert 0 <= figure["mean"] <= 1
                assert figure["half_width"] >= 0
        # By construction.
        (structural,) = (r for r in table["rows"] if r[0] == "U_str")
        assert structural[2]["mean"] == 1


@pytest.mark.parametrize("name", sorted(set(TABLES) - EMPTY))
def test_no_column_is_empty_but_those_of_the_paper(tables, name):
    table = tables[name]
    for place, column in enumerate(table["columns"]):
        cells = [row[place] for row in table["rows"]]
        if "paper" not in column:
            assert any(cell is not None for cell in cells), column


def test_no_two_processes_train_one_model(grid):
    trained_by = {}
    for path in grid.work.rglob("events.out.tfevents.*"):
        process = path.name.split(".")[-2]
        trained_by.setdefault(path.parent, set()).add(process)
    assert trained_by
    assert max(map(len, trained_by.values())) == 1


def test_what_is_there_is_not_computed_again(grid):
    before = grid.times()
    assert len(before) > 20
    again = grid.run()
    assert grid.times() == before
    assert grid.first["computed"] == len(before)
    assert again.pop("computed") == 0
    assert again.pop("seconds") < grid.first["seconds"]
    assert again == {key: grid.first[key] for key in again}
    path = grid.out / "subsample/detection/standard-stated/0.json"
    record = json.loads(path.read_text())
    path.unlink()
    part = grid.run("table3", "table2", "--datasets", "synthetic", "subsample")
    shown = [(table["name"], table["title"]) for table in part["tables"]]
    assert [name for name, _ in shown] == ["table3", "table2", "table2"]
    assert [title.rsplit(" ", 1)[1] for _, title in shown[1:]] == [
        "synthetic",
        "subsample",
    ]
    assert json.loads(path.read_text())["result"] == record["result"]
    after = grid.times()
    assert {p for p in after if after[p] != before[p]} == {path}


def test_tables_are_written_from_records_alone(grid, capsys, tmp_path):
    before, path = grid.times(), tmp_path / "tables.md"
    args = ["table2", "--tables-only", "--write", str(path)]
    assert main(["reproduce", *args, "--out", str(grid.out)]) == 0
    text = capsys.readouterr().out
    assert path.read_text() == text
    (table2,) = (t for t in grid.first["tables"] if t["name"] == "table2")
    rows = [line for line in text.splitlines() if line.startswith("| CAGP |")]
    (cagp,) = (row for row in table2["rows"] if row[0] == "CAGP")
    figures = [
        "-" if cell is None else str(Spread(cell["mean"], cell["half_width"]))
        for cell in cagp[1:]
    ]
    assert rows == [f"| CAGP | {' | '.join(figures)} |"]
    assert grid.times() == before


def test_a_file_that_cannot_be_written_is_told_of_first(grid, capsys, tmp_path):
    args = ["reproduce", "table2", "--write", str(tmp_path)]
    # Nothing is computed for it: this would take hours.
    assert main([*args, "--out", str(tmp_path / "out")]) == 2
    assert f"'{tmp_path}' is a folder" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_only_the_graphs_that_were_asked_for_are_shown(grid, capsys):
    args = ["table3", "--tables-only", "--out", str(grid.out), "--json"]
    assert main(["reproduce", *args]) == 0
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    assert table["columns"] == ["method", "synthetic", "subsample"]
    assert main(["reproduce", *args, "--datasets", "subsample"]) == 0
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    assert table["columns"] == ["method", "subsample"]
    assert main(["reproduce", *args, "--datasets", "wn18rr"]) == 2
    assert "no records of wn18rr in" in capsys.readouterr().err


def test_only_the_seeds_that_were_asked_for_are_shown(grid, capsys):
    args = ["table3", "--tables-only", "--out", str(grid.out), "--json"]
    for more, several in (([], True), (["--seeds", "1"], False)):
        assert main(["reproduce", *args, *more]) == 0
        (table,) = json.loads(capsys.readouterr().out)["tables"]
        (cagp,) = (row for row in table["rows"] if row[0] == "CAGP")
        widths = [cell["half_width"] for cell in cagp[1:] if cell]
        assert [width is not None for width in widths] == [several] * 2


def test_a_graph_without_records_takes_no_place(grid, capsys):
    args = ["table2", "--tables-only", "--out", str(grid.out)]
    graphs = ["subsample", "wn18rr", "subsample"]
    assert main(["reproduce", *args, "--datasets", *graphs]) == 0
    captured = capsys.readouterr()
    titles = [line for line in captured.out.splitlines() if line[:1] == "#"]
    assert titles == ["### By kind of OOD, AUROC, subsample"]
    assert captured.err == "pyg-cagp: no record of wn18rr\n"


def test_a_graph_without_records_of_one_table_is_named(grid, capsys):
    args = ["architectures", "--tables-only", "--out", str(grid.out)]
    graphs = ["--datasets", "synthetic", "subsample"]
    assert main(["reproduce", *args, *graphs]) == 0
    captured = capsys.readouterr()
    titles = [line for line in captured.out.splitlines() if line[:1] == "#"]
    assert titles == ["### Architectures, standard OOD, AUROC, synthetic"]
    assert captured.err == (
        "pyg-cagp: no record of subsample for table 'architectures'\n"
    )


def test_scales_that_see_labels_are_asked_for(grid, capsys):
    args = ["table3", "table3", "--tables-only", "--out", str(grid.out)]
    for more, names in (
        ([], ["table3"]),
        (["--as-published"], ["table3", "leak"]),
    ):
        assert main(["reproduce", *args, *more, "--json"]) == 0
        tables = json.loads(capsys.readouterr().out)["tables"]
        assert [table["name"] for table in tables] == names


def test_notes_tell_what_was_done(tables):
    for name in ("significance", "errors"):
        notes = " ".join(tables[name]["notes"])
        assert "With 200 resamples" in notes
        assert "methods / 201." in notes
    assert "`train.epochs` 2" in " ".join(tables["architectures"]["notes"])


@pytest.mark.parametrize(
    ("asked", "reason"), [(["fb15k-237"], "no FB"), (["wn18rr"], "no NL")]
)
def test_the_reason_is_of_a_graph_that_was_asked_for(asked, reason):
    failed = {"nl27k/confidences/0": "no NL", "fb15k-237/graph": "no FB"}
    assert _reason(failed, asked) == reason


def test_a_cell_that_fails_shows_in_the_exit_code(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.setenv("PYG_CAGP_DATA", str(tmp_path / "nothing"))
    args = ["statistics", "--quick", "--datasets", "synthetic", "yago-sample"]
    folders = ["--out", str(tmp_path / "o"), "--work", str(tmp_path / "w")]
    assert main(["reproduce", *args, *folders, "--jobs", "1"]) == 1
    captured = capsys.readouterr()
    assert "| synthetic |" in captured.out
    assert "yago-sample/graph was not computed" in captured.err
    assert "1 records were computed in 0:0" in captured.err
    assert "; 1 of 2 are there" in captured.err
