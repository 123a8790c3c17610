"""From nothing to a picture, as a new user would."""

import json
from pathlib import Path

import pytest

from pyg_cagp.cli import main
from pyg_cagp.report import canvas


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The output of a first quickstart, and the folder it ran in."""
    here = tmp_path_factory.mktemp("quickstart")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        code = main(["quickstart", "--epochs", "1", "--json"])
    assert code == 0
    return here


def test_all_is_there_to_be_looked_at(first):
    run = first / "runs/quickstart"
    for name in (
        "report.html",
        "report.json",
        "run.json",
        "inference/inference.json",
        "evaluate-comprehensive.json",
        "report/decomposition.png",
    ):
        assert (run / name).stat().st_size > 100, name
    assert list(run.glob("events.out.tfevents.*"))
    assert list((run / "report").glob("events.out.tfevents.*"))


def test_a_second_one_takes_its_place_and_prints_a_table(
    first, monkeypatch, capsys
):
    monkeypatch.chdir(first)
    before = json.loads(Path("runs/quickstart/report.json").read_text())
    # Without matplotlib, all but the pictures is there.
    monkeypatch.setattr("pyg_cagp.typing.WITH_MATPLOTLIB", False)
    assert main(["quickstart", "--epochs", "1"]) == 0
    out = capsys.readouterr().out
    assert "pip install 'pyg_cagp[plot]'" in out
    assert "tensorboard --logdir runs/quickstart" in out
    assert not Path("runs/quickstart/report.html").exists()
    areas = before["detection"]["temporal-like"]["methods"]["structural"]
    (line,) = [row for row in out.splitlines() if row.startswith("structural")]
    # The same seed, the same figures.
    assert line.split()[1:3] == [
        f"{areas[kind]['auroc']:.4f}" for kind in ("emerging", "novel")
    ]


def test_it_does_not_touch_what_it_has_not_made(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "runs/quickstart/thesis.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("years of work")
    assert main(["quickstart"]) == 2
    assert "already exists; choose another folder" in capsys.readouterr().err
    # Not even what looks like a run, nor on the way to an error.
    (mine.parent / "run.json").write_text('{"dataset": "synthetic"}')
    assert main(["quickstart", "--epochs", "-1"]) == 2
    assert "'epochs' must be" in capsys.readouterr().err
    assert main(["quickstart"]) == 2
    (tmp_path / "other").mkdir()
    assert main(["quickstart", "--out", "other"]) == 2
    assert mine.read_text() == "years of work"


def test_a_report_needs_matplotlib_before_it_computes(
    first, monkeypatch, capsys
):
    monkeypatch.setattr(canvas, "WITH_MATPLOTLIB", False)
    assert main(["report", str(first / "runs/quickstart")]) == 2
    assert "pip install 'pyg_cagp[plot]'" in capsys.readouterr().err


def test_a_report_says_what_is_no_run(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "holds no finished run" in capsys.readouterr().err
