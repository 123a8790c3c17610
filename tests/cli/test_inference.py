"""The command line on a graph of files: score, predict, update, evaluate."""

import json
import shutil
import subprocess
import sys

import pytest
import torch

from pyg_cagp.datasets import load
from pyg_cagp.evaluate import Result, graph
from tests.cli.test_cli import run
from tests.inference.graph import ENTITIES, LATER, RELATIONS, TEST, to_tsv
from tests.loops import for_each


@pytest.fixture
def triples(tmp_path):
    unknown = ("no entity", RELATIONS[0], ENTITIES[0])
    path = tmp_path / "new.tsv"
    path.write_text(to_tsv([*TEST, unknown]), encoding="utf-8")
    return path


@pytest.fixture
def malformed(tmp_path):
    path = tmp_path / "malformed.tsv"
    path.write_text(to_tsv(LATER) + "one\ttwo\n", encoding="utf-8")
    return path


def test_score_writes_a_file_and_a_summary(
    capsys, trained_run, triples, tmp_path
):
    out = tmp_path / "scored.parquet"
    code, text, err = run(capsys, "score", trained_run, triples, "-o", out)
    assert (code, err) == (0, "")
    assert "unknown entity" in text
    assert f"written to {out}" in text
    code, text, _ = run(
        capsys, "score", trained_run, triples, "-o", out, "--json"
    )
    summary = json.loads(text)
    assert code == 0
    assert summary["rows"] == len(TEST) + 1
    assert summary["kinds"]["unknown entity"] == 1
    assert 0 < summary["abstain"] < summary["rows"]


def test_malformed_lines_are_errors_or_skipped(
    capsys, trained_run, malformed, tmp_path
):
    args = ["score", trained_run, malformed, "-o", tmp_path / "out.csv"]
    code, text, err = run(capsys, *args)
    assert (code, text) == (2, "")
    assert f"line {len(LATER) + 1}: expected 3 columns" in err
    assert err.count("\n") == 1
    code, text, err = run(capsys, *args, "--skip-malformed")
    assert code == 0
    assert "malformed" in text
    assert err.count("\n") == 1
    assert "skipped" in err


@pytest.mark.filterwarnings("ignore::pyg_cagp.exceptions.CAGPWarning")
@for_each("all_wrong", [True, False])
def test_error_ranking_of_equal_errors_is_refused(
    capsys, trained_run, monkeypatch, all_wrong
):
    predicted = graph.predicted

    def equal_errors(*args):
        values = predicted(*args)
        error = torch.full_like(values.error, all_wrong)
        return values._replace(error=error)

    monkeypatch.setattr(graph, "predicted", equal_errors)
    code, _, err = run(
        capsys, "evaluate", trained_run, "--protocol", "error-ranking"
    )
    assert code == 2
    word = "wrong" if all_wrong else "right"
    assert f"all {word}" in err


def test_predict_prints_answers(capsys, trained_run):
    args = ["predict", trained_run, "--relation", 'is "next" to']
    code, text, err = run(capsys, *args, "--head", "東京", "-k", 3)
    assert (code, err) == (0, "")
    assert '(東京, is "next" to, ?)' in text
    assert "conformal set: " in text
    assert len(text.splitlines()) == 8
    code, text, _ = run(capsys, *args, "--tail", "🦜", "--json")
    prediction = json.loads(text)
    assert code == 0
    assert (prediction["side"], len(prediction["answers"])) == ("head", 10)
    code, text, err = run(capsys, *args, "--head", "Zurich")
    assert (code, text) == (2, "")
    assert "'Zurich'" in err
    assert "'Zürich'" in err


def test_update_prints_counts(capsys, own_run, malformed):
    code, _, err = run(capsys, "update", own_run, malformed)
    assert code == 2
    assert "line" in err
    args = ["update", own_run, malformed, "--skip-malformed"]
    code, text, err = run(capsys, *args)
    assert (code, err) == (0, "")
    rows = dict(line.rsplit(maxsplit=1) for line in text.splitlines()[1:])
    assert rows == {"added": str(len(LATER)), "malformed, skipped": "1"}
    code, text, _ = run(capsys, *args, "--skip-known", "--json")
    summary = json.loads(text)
    assert (summary["added"], summary["repeated"]) == (0, len(LATER))
    malformed.write_text(f"no entity\t{RELATIONS[0]}\tno entity\n")
    code, text, _ = run(capsys, "update", own_run, malformed)
    assert code == 0
    assert "train it again" in text


@pytest.mark.filterwarnings("ignore::pyg_cagp.exceptions.CAGPWarning")
@for_each(
    "protocol",
    [
        "ranking",
        "temporal-like",
        "standard",
        "comprehensive",
        "error-ranking",
        "conformal",
    ],
)
def test_evaluate_prints_the_table_of_the_result(capsys, own_run, protocol):
    args = ["evaluate", own_run, "--protocol", protocol]
    code, text, err = run(capsys, *args)
    assert (code, err) == (0, "")
    result = Result.load(own_run / f"evaluate-{protocol}.json")
    assert result.protocol == protocol
    assert text.startswith(f"{result}\n")


@pytest.mark.filterwarnings("ignore::pyg_cagp.exceptions.CAGPWarning")
def test_evaluate_with_another_graph_is_refused(capsys, own_run, tmp_path):
    def refused(*more, protocol="ranking"):
        args = ["evaluate", own_run, "--protocol", protocol, *more]
        code, out, err = run(capsys, *args)
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
        return err

    assert "was not split by time" in refused(protocol="timestamp")
    assert "no 'test_neg_edge_index'" in refused(protocol="verified-negatives")
    assert "is not the one" in refused("--dataset", "synthetic")
    path = own_run / "run.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "dataset": ""}))
    assert "pass it (--dataset)" in refused()


def test_train_and_evaluate_by_time(capsys, tmp_path):
    sizes = ["--set=train.epochs=1", "--set=model.hidden_channels=4"]
    args = ["train", "synthetic", "--out", tmp_path / "run", *sizes]
    code, text, err = run(capsys, *args, "--by-time")
    assert code == 0
    assert "abstain from p_ood" in text
    assert "fitting uncertainties" in err
    args = ["evaluate", tmp_path / "run", "--protocol", "timestamp", "--json"]
    code, text, err = run(capsys, *args)
    assert (code, err) == (0, "")
    assert json.loads(text)["metrics"]["counts"]["test"]["future"] > 0


def test_evaluate_uses_the_stored_dates(capsys, tmp_path):
    out = tmp_path / "run"
    sizes = ["--set=train.epochs=1", "--set=model.hidden_channels=4"]
    dates = ["--cutoff=2021-06-01", "--val-cutoff=2021-01-01"]
    args = ["train", "synthetic", "--out", out, *sizes, *dates]
    code, _, err = run(capsys, *args)
    assert (code, "with '--by-time'" in err) == (2, True)
    assert run(capsys, *args, "--by-time", "--json")[0] == 0
    cut = json.loads((out / "run.json").read_text())["time_cut"]
    assert [cut["cutoff"], cut["val_cutoff"]] == ["2021-06-01", "2021-01-01"]
    args = ["evaluate", out, "--protocol", "timestamp", "--json"]
    counts = json.loads(run(capsys, *args)[1])["metrics"]["counts"]
    kg = load("synthetic")
    june = 18_779  # Days from 1970 to 1 June 2021.
    assert counts["test"]["future"] == int((kg.edge_time >= june).sum())


@for_each(
    ("command", "message"),
    [
        (["score", "RUN", "none.tsv", "-o", "o.tsv"], "none.tsv"),
        (["score", "RUN", "NEW", "-o", "o.xlsx"], "xlsx"),
        (["score", "none", "NEW", "-o", "o.tsv"], "'none'"),
        (
            ["score", "RUN", "NEW", "-o", "o.tsv", "--device", "warp"],
            "'--device warp'",
        ),
        (["predict", "RUN", "--relation", "lies in"], "neither"),
        (
            ["predict", "RUN", "--head", "null", "--relation", "knows"],
            "'knows'",
        ),
        (
            ["predict", "RUN", "--head=null", "--relation=lies in", "-k=0"],
            "(got 0)",
        ),
        (["update", "RUN", "none.tsv"], "none.tsv"),
        (["evaluate", "none", "--protocol", "ranking"], "none"),
    ],
)
def test_bad_input_is_one_sentence(
    capsys, trained_run, triples, tmp_path, monkeypatch, command, message
):
    monkeypatch.chdir(tmp_path)
    places = {"RUN": trained_run, "NEW": triples}
    before = sorted(tmp_path.iterdir())
    code, out, err = run(capsys, *(places.get(a, a) for a in command))
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("pyg-cagp: ")
    assert err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


@for_each(
    ("damage", "message"),
    [
        (
            lambda run: (run / "inference/inference.json").unlink(),
            "inference.json",
        ),
        (
            lambda run: (run / "inference/inference.json").write_text(
                '{"schema": 7}'
            ),
            "upgrade",
        ),
        (
            lambda run: (run / "model.safetensors").write_bytes(b"junk"),
            "not a checkpoint",
        ),
    ],
)
def test_damaged_runs_are_one_sentence(
    capsys, own_run, triples, tmp_path, damage, message
):
    broken = shutil.copytree(own_run, tmp_path / message)
    damage(broken)
    for args in (
        ["score", broken, triples, "-o", tmp_path / "o.tsv"],
        ["predict", broken, "--head=null", "--relation=lies in"],
        ["update", broken, triples],
    ):
        code, out, err = run(capsys, *args)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


@for_each(
    "args",
    [
        ["score", "RUN", "new.tsv"],
        ["score", "RUN", "new.tsv", "-o", "o.tsv", "--format", "xlsx"],
        ["predict", "RUN", "--head", "x"],
        ["evaluate", "RUN", "--protocol", "nonsense"],
        ["update", "RUN"],
    ],
)
def test_wrong_flags_exit_with_2(capsys, args):
    with pytest.raises(SystemExit) as caught:
        run(capsys, *args)
    assert caught.value.code == 2
    assert "usage: pyg-cagp" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::pyg_cagp.exceptions.CAGPWarning")
def test_resume_restores_a_missing_inference_state(
    capsys, awkward_graph, own_run
):
    shutil.rmtree(own_run / "inference")
    query = ["predict", own_run, "--head=null", "--relation=lies in"]
    code, _, err = run(capsys, *query)
    assert code == 2
    assert "--resume" in err
    args = ["train", awkward_graph, "--model", "gaussian-complex"]
    args += ["--set=train.epochs=2", "--set=model.hidden_channels=8"]
    assert run(capsys, *args, "--out", own_run, "--resume")[0] == 0
    assert run(capsys, *query)[0] == 0


def test_warnings_are_one_sentence(awkward_graph):
    command = [sys.executable, "-m", "pyg_cagp", "partition"]
    process = subprocess.run(
        [*command, str(awkward_graph)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0
    assert process.stderr.startswith("pyg-cagp: ")
    assert process.stderr.count("\n") == 1
