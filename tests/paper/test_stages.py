"""Digests of the code of stages, and the stage of a file."""

import pytest

from benchmark.paper import stages
from benchmark.paper.budget import FULL
from benchmark.paper.grid import Grid

CODE = '''"""Adds."""
import math


def total(values: list[int]) -> float:
    """Returns the sum."""
    result = math.fsum(values)  # exact
    if result < 0:
        raise ValueError("negative")
    return result
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of one file, and a function that returns its digests."""
    folder = tmp_path / "pyg_cagp"
    (folder / "metrics").mkdir(parents=True)
    (folder / "metrics/sums.py").write_text(CODE)
    monkeypatch.setattr(stages, "PACKAGE", folder)
    monkeypatch.setattr(stages, "STAMPS", tmp_path / "verified.json")

    def digests():
        stages.code_digests.cache_clear()
        return stages.code_digests()

    yield folder, digests
    stages.code_digests.cache_clear()


def test_comments_docstrings_and_file_names_do_not_change_the_digest(package):
    folder, digests = package
    before = digests()
    file = folder / "metrics/sums.py"
    for old, new in (
        ("# exact", "# exactly"),
        ('"""Returns the sum."""', '"""Returns the exact sum."""'),
        ("import math", "import math\nimport os"),
    ):
        file.write_text(CODE.replace(old, new))
        assert digests() == before
    file.rename(folder / "metrics/other_name.py")
    (folder / "metrics/other_name.py").write_text(CODE)
    assert digests() == before


def test_changed_code_changes_the_digest_of_its_stage_only(package):
    folder, digests = package
    before = digests()
    (folder / "metrics/sums.py").write_text(CODE.replace("< 0", "<= 0"))
    after = digests()
    assert {name for name in after if after[name] != before[name]} == {
        "metrics"
    }


def test_stage_of_a_file():
    for path, stage in (
        ("nn/kge/distmult.py", "model"),
        ("nn/posterior/laplace.py", "posterior"),
        ("data/as_kg.py", "data"),
        ("cli/main.py", None),
        ("_utils/files.py", None),
    ):
        assert stages.stage_of(stages.PACKAGE / path) == stage


def test_a_stamp_is_valid_until_the_code_changes(package):
    folder, digests = package
    record = {"commit": "abc", "code": digests()}
    assert stages.changed_since(record) is None
    file = folder / "metrics/sums.py"
    file.write_text(CODE.replace("result", "answer"))
    digests()
    assert stages.changed_since(record) == "abc"
    stages.stamp(["metrics"])
    assert stages.changed_since(record) is None
    assert stages.stamps()["metrics"]["verified_by"] == "golden"
    file.write_text(CODE.replace("< 0", "< 1"))
    digests()
    assert stages.changed_since(record) == stages.stamps()["metrics"]["commit"]


def test_traced_names_the_stages_of_called_functions():
    from pyg_cagp import metrics

    with stages.traced() as passed:
        metrics.auroc([0.1, 0.9], [0, 1])
    assert passed == {"metrics"}


def test_each_stage_has_experiments_with_and_without_it():
    experiments = Grid(FULL).experiments.values()
    for stage in stages.STAGES:
        passed = {stage in e.stages for e in experiments}
        assert passed == ({True} if stage == "data" else {True, False})
