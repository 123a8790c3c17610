"""Records of graphs on which some protocols cannot be evaluated."""

import pytest

from pyg_cagp import GaussianDistMult
from pyg_cagp.cli import main
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.datasets.registry import cutoffs
from pyg_cagp.evaluate.graph import EvaluationGraph
from pyg_cagp.report import draw_report, write_report
from pyg_cagp.report.detection import all_detection
from pyg_cagp.transforms import TimestampOOD

#: The training triples: ten entities in a ring, with two relations.
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
    # Both validation triples have an entity that is not in training.
    valid = [("e0", "across", "late"), ("late", "next", "e3")]
    test = [
        ("e1", "next", "e4"),
        ("e2", "across", "e8"),
        ("late", "next", "e1"),
    ]
    run = train(write(tmp_path / "graph", valid, test))
    record = write_report(run)
    assert "error-ranking" in record["missing"]
    assert record["errors"] is None
    page = (run / "report.html").read_text(encoding="utf-8")
    assert ">error-ranking</td>" in page


def test_a_graph_split_by_time_is_evaluated_by_time():
    undated = SyntheticKG(num_nodes=200, num_triples=2000)[0]
    kg = TimestampOOD(*cutoffs("synthetic"))(undated)
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
    detected, missing, results = all_detection(model, EvaluationGraph.of(kg))
    assert list(detected["timestamp"]["counts"]) == ["id", "future"]
    assert "timestamp" in {result.protocol for result in results}
    assert (
        "timestamp" not in all_detection(model, EvaluationGraph.of(undated))[0]
    )
    assert not missing


def test_pictures_of_an_earlier_report_are_deleted(own_run, reported, record):
    for path in reported[0].glob("evaluate-*"):
        (own_run / path.name).write_bytes(path.read_bytes())
    draw_report(own_run, record)
    assert (own_run / "report/roc-standard.png").exists()
    del record["detection"]["standard"]
    draw_report(own_run, record)
    assert not (own_run / "report/roc-standard.png").exists()
