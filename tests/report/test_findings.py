"""What is found on graphs that leave little to find."""

import pytest

from pyg_cagp import GaussianDistMult
from pyg_cagp.cli import main
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.datasets.registry import cutoffs
from pyg_cagp.evaluate.graph import EvaluationGraph
from pyg_cagp.report import draw_report, write_report
from pyg_cagp.report.detection import all_detection
from pyg_cagp.transforms import TimestampOOD

#: What is trained on: ten entities in a ring, with two relations.
RING = [(f"e{i}", "next", f"e{(i + 1) % 10}") for i in range(10)]
CHORDS = [(f"e{i}", "across", f"e{(i + 5) % 10}") for i in range(10)]


def write(folder, valid, test):
    folder.mkdir()
    splits = {"train": RING + CHORDS, "valid": valid, "test": test}
    for name, triples in splits.items():
        lines = ("\t".join(map(str, triple)) + "\n" for triple in triples)
        (folder / f"{name}.tsv").write_text("".join(lines))
    return folder


def train(folder):
    run = folder.with_name("run")
    args = ["train", str(folder), "--out", str(run)]
    for change in ("train.epochs=1", "model.hidden_channels=4"):
        args += ["--set", change]
    assert main([*args, "--json"]) == 0
    return run


@pytest.mark.filterwarnings("ignore::pyg_cagp.exceptions.CAGPWarning")
def test_a_graph_without_ordinary_validation_triples_has_a_report(tmp_path):
    # "across" was never seen with the new names, and nothing else is held out.
    valid = [("e0", "across", "late"), ("late", "next", "e3")]
    test = [
        ("e1", "next", "e4"),
        ("e2", "across", "e8"),
        ("late", "next", "e1"),
    ]
    run = train(write(tmp_path / "graph", valid, test))
    found = write_report(run)
    assert "error-ranking" in found["missing"]
    assert found["errors"] is None
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "Not evaluated by error-ranking: " in page


def test_a_graph_split_by_time_is_evaluated_by_time():
    whole = SyntheticKG(num_nodes=200, num_triples=2000)[0]
    kg = TimestampOOD(*cutoffs("synthetic"))(whole)
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
    found, missing, results = all_detection(model, EvaluationGraph.of(kg))
    assert list(found["timestamp"]["counts"]) == ["id", "future"]
    assert "timestamp" in {result.protocol for result in results}
    assert "timestamp" not in all_detection(model, EvaluationGraph.of(whole))[0]
    assert not missing


def test_pictures_of_an_earlier_report_are_gone(own_run, reported):
    found = dict(reported[1])
    for path in reported[0].glob("evaluate-*"):
        (own_run / path.name).write_bytes(path.read_bytes())
    draw_report(own_run, found)
    assert (own_run / "report/roc-standard.png").exists()
    found["detection"] = {
        key: part
        for key, part in found["detection"].items()
        if key != "standard"
    }
    draw_report(own_run, found)
    assert not (own_run / "report/roc-standard.png").exists()
