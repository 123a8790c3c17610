"""The command quickstart, and reports without matplotlib."""

import json
from pathlib import Path

import pytest

from pyg_cagp.cli import main
from pyg_cagp.report import canvas


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The folder in which a quickstart ran."""
    here = tmp_path_factory.mktemp("quickstart")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        code = main(["quickstart", "--epochs", "1", "--json"])
    assert code == 0
    return here


@pytest.mark.slow
def test_quickstart_writes_a_run_a_result_and_a_report(first):
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


@pytest.mark.slow
def test_a_second_quickstart_replaces_the_first(first, monkeypatch, capsys):
    monkeypatch.chdir(first)
    before = json.loads(Path("runs/quickstart/report.json").read_text())
    # Without matplotlib, only the figures are missing.
    monkeypatch.setattr("pyg_cagp.typing.WITH_MATPLOTLIB", False)
    assert main(["quickstart", "--epochs", "1"]) == 0
    out = capsys.readouterr().out
    assert "pip install 'pyg_cagp[plot]'" in out
    assert "tensorboard --logdir runs/quickstart" in out
    assert not Path("runs/quickstart/report.html").exists()
    areas = before["detection"]["temporal-like"]["methods"]["structural"]
    (line,) = [row for row in out.splitlines() if row.startswith("structural")]
    # The figures depend on the seed only.
    assert line.split()[1:3] == [
        f"{areas[kind]['auroc']:.4f}" for kind in ("emerging", "novel")
    ]


def test_quickstart_does_not_overwrite_other_folders(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    other_file = tmp_path / "runs/quickstart/notes.txt"
    other_file.parent.mkdir(parents=True)
    other_file.write_text("text")
    assert main(["quickstart"]) == 2
    assert "already exists" in capsys.readouterr().err
    # Neither a folder with a record of a run, nor before another error.
    (other_file.parent / "run.json").write_text('{"dataset": "synthetic"}')
    assert main(["quickstart", "--epochs", "-1"]) == 2
    assert "'epochs'" in capsys.readouterr().err
    assert main(["quickstart"]) == 2
    (tmp_path / "other").mkdir()
    assert main(["quickstart", "--out", "other"]) == 2
    assert other_file.read_text() == "text"


def test_report_without_matplotlib_is_refused(trained_run, monkeypatch, capsys):
    monkeypatch.setattr(canvas, "WITH_MATPLOTLIB", False)
    assert main(["report", str(trained_run)]) == 2
    assert "pip install 'pyg_cagp[plot]'" in capsys.readouterr().err


def test_report_of_a_folder_without_a_run_is_refused(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "no finished run" in capsys.readouterr().err
