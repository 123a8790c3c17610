"""One small run, evaluated once for all tests of reports."""

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
        # That there is no validation file.
        warnings.simplefilter("ignore", CAGPWarning)
        found = gather(folder)
        draw_report(folder, found)
    return folder, found
