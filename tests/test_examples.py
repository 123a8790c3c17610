"""Every example runs, offline, and shows what it says."""

import os
import re
import subprocess
import sys

import pytest

from tests.conftest import REPO

#: What each must have printed.
SHOWS = {
    "kge_fb15k_237.py": r"Mean variance: 0\.\d+ of the rarest",
    "ood_detection.py": r"structural .*'novel': '1\.000'",
    "ensembles.py": r"ensemble, disagreement +AUROC 0\.\d+",
    "confidences.py": r"MSE on test: mean of train 0\.\d+, UKGE 0\.\d+",
    "distance_aware.py": r"GPN +emerging 0\.\d+",
    "selective_prediction.py": r"learned from errors +AURC 0\.\d+",
    "conformal_answers.py": r"novel +holds the answer 0\.\d+ of the time",
    "streaming_coverage.py": r"structural doubt 0\.\d+ before, 0\.\d+ after",
}


def test_all_examples_are_listed_here():
    found = {path.name for path in (REPO / "examples").glob("*.py")}
    assert found == set(SHOWS)


@pytest.mark.parametrize("name", SHOWS)
def test_examples_run(name, tmp_path):
    nowhere = {"PYG_CAGP_DATA": str(tmp_path), "PYG_CAGP_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, REPO / "examples" / name, "--epochs", "1"],
        cwd=tmp_path,
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(SHOWS[name], done.stdout), done.stdout
