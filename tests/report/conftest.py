"""One small run, evaluated once for all tests of reports."""

import copy
import shutil
import warnings

import pytest

from pyg_cagp.exceptions import CAGPWarning
from pyg_cagp.report import draw_report, gather


@pytest.fixture(scope="session")
def reported(trained_run, session_cache, tmp_path_factory):
    """A run on a graph of awkward names, with its report."""
    folder = tmp_path_factory.mktemp("reported") / "run"
    shutil.copytree(trained_run, folder)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setenv("PYG_CAGP_CACHE", str(session_cache))
        # The graph has no validation file.
        warnings.simplefilter("ignore", CAGPWarning)
        record = gather(folder)
        draw_report(folder, record)
    return folder, record


@pytest.fixture
def record(reported):
    """A copy of its record, to be changed."""
    return copy.deepcopy(reported[1])


@pytest.fixture
def page(reported):
    """Its page."""
    return (reported[0] / "report.html").read_text(encoding="utf-8")
