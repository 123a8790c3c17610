"""All examples run offline and print their results."""

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest
import torch

from tests.conftest import REPO

EXAMPLES = REPO / "examples"

#: A pattern of the output of each example.
SHOWS = {
    "kge_fb15k_237.py": r"0\.\d+ of the rarest",
    "ood_detection.py": r"structural .*'novel': '1\.000'",
    "ensembles.py": r"disagreement +AUROC 0\.\d+",
    "confidences.py": r"UKGE 0\.\d+",
    "distance_aware.py": r"GPN +emerging 0\.\d+",
    "selective_prediction.py": r"AURC 0\.\d+",
    "conformal_answers.py": r"novel .*0\.\d+",
    "streaming_coverage.py": r"structural 0\.\d+ before, 0\.\d+ after",
    "rgcn.py": r"R-GCN( +\d\.\d+){7}\nGaussianDistMult( +\d\.\d+){7}",
    "pykeen_model.py": r"AUROC 0\.\d+, AURC of errors 0\.\d+",
    "own_graph.py": r"1 unknown entity(.|\n)*before the update, 0\.00 after",
    "tensorboard_logging.py": r"emerging_auroc = 0\.\d+",
    "multi_gpu/ddp.py": r"over 2 processes\nfiltered MRR on test: 0\.\d+",
    "multi_gpu/ddp.py --world-size 1": r"equal to Trainer's: True",
}
#: The examples that take more than ten seconds.
SLOW = {
    "distance_aware.py",
    "multi_gpu/ddp.py",
    "multi_gpu/ddp.py --world-size 1",
}


def test_all_examples_are_tested():
    scripts = EXAMPLES.rglob("*.py")
    names = {str(path.relative_to(EXAMPLES)) for path in scripts}
    assert names == {name.split()[0] for name in SHOWS}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in SHOWS
    ],
)
def test_examples_run(name, tmp_path):
    if name == "pykeen_model.py":
        pytest.importorskip("pykeen")
    script, *args = name.split()
    no_data = {"PYG_CAGP_DATA": str(tmp_path), "PYG_CAGP_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, EXAMPLES / script, *args, "--epochs", "1"],
        cwd=tmp_path,
        env={**os.environ, **no_data},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(SHOWS[name], done.stdout), done.stdout


def test_ranks_split_an_epoch():
    path = EXAMPLES / "multi_gpu/ddp.py"
    spec = importlib.util.spec_from_file_location("ddp", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    order = torch.randperm(11)
    parts = [module.part_of_epoch(order, rank, 3) for rank in range(3)]
    assert [part.numel() for part in parts] == [3, 3, 3]
    assert torch.cat(parts).unique().numel() == 9
    assert torch.equal(module.part_of_epoch(order, 0, 1), order)


def test_notebook_runs_and_is_stripped(capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    text = (EXAMPLES / "reading_along.ipynb").read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    names: dict = {}
    for cell in cells:
        assert (cell["outputs"], cell["execution_count"]) == ([], None)
        exec("".join(cell["source"]), names)
    figures = [plt.figure(number) for number in plt.get_fignums()]
    try:
        decomposed, selective = (figure.axes[0] for figure in figures)
        points = [len(part.get_offsets()) for part in decomposed.collections]
        assert points == names["kind"].bincount().tolist()
        # At full coverage all curves have the same risk.
        ends = [float(line.get_ydata()[-1]) for line in selective.lines]
        share = float(names["test"].error.double().mean())
        assert ends == pytest.approx([share, share])
    finally:
        plt.close("all")
    methods = names["record"]["methods"]
    assert methods["structural"]["novel"]["auroc"] == 1
    assert methods["semantic"]["emerging"]["auroc"] > 0.9
    assert "weight of semantic uncertainty: 0." in capsys.readouterr().out
