"""Fixtures: small graphs by hand, and real ones if they are present."""

import os
import shutil
from pathlib import Path

import hypothesis
import pytest
import torch
from torch_geometric.data import Data

from pyg_cagp.data import as_kg
from pyg_cagp.datasets import load
from pyg_cagp.datasets.registry import REGISTRY
from pyg_cagp.typing import WITH_TORCH_SCATTER, WITH_TORCH_SPARSE

REPO = Path(__file__).resolve().parents[1]

# A test must not fail because the machine is busy.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")


def find_data_root() -> Path | None:
    shared = REPO.parent / "shared/data"
    for folder in (os.environ.get("PYG_CAGP_DATA"), shared):
        if folder and Path(folder).is_dir():
            return Path(folder).resolve()
    return None


DATA_ROOT = find_data_root()


def pytest_configure(config):
    # Not in pyproject.toml: pytest would import the package to find the class
    # before the coverage of its lines is measured.
    config.addinivalue_line(
        "filterwarnings", "error::pyg_cagp.exceptions.CAGPWarning"
    )


def pytest_collection_modifyitems(items):
    skips = {
        "data": (
            DATA_ROOT is None,
            "the real datasets are neither at $PYG_CAGP_DATA nor at "
            "../shared/data",
        ),
        "ext": (
            not (WITH_TORCH_SCATTER and WITH_TORCH_SPARSE),
            "torch-scatter and torch-sparse are not installed; "
            "'make test-ext' builds them",
        ),
        "gpu": (not torch.cuda.is_available(), "there is no CUDA device"),
    }
    for item in items:
        for marker, (skip, reason) in skips.items():
            if skip and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def session_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _hermetic(monkeypatch, session_cache):
    """No test reads or writes outside its temporary folders."""
    monkeypatch.setenv("PYG_CAGP_CACHE", str(session_cache))
    monkeypatch.delenv("PYG_CAGP_DATA", raising=False)


@pytest.fixture(scope="session")
def real(session_cache):
    """Loads a real dataset once a session."""
    loaded = {}

    def get(name):
        entry = REGISTRY.get(name)
        missing = entry.missing(DATA_ROOT) if entry else []
        if missing or not (entry or (DATA_ROOT / name).exists()):
            pytest.skip(f"{name} is not in {DATA_ROOT} (no {missing})")
        if name not in loaded:
            before = os.environ.get("PYG_CAGP_CACHE")
            os.environ["PYG_CAGP_CACHE"] = str(session_cache)
            try:
                loaded[name] = load(name, root=DATA_ROOT)
            finally:
                if before is None:
                    del os.environ["PYG_CAGP_CACHE"]
                else:
                    os.environ["PYG_CAGP_CACHE"] = before
        return loaded[name]

    return get


def split(*triples, num_nodes=5):
    """A split of triples (h, r, t)."""
    table = torch.tensor(triples).view(-1, 3)
    return Data(
        edge_index=table[:, [0, 2]].t().contiguous(),
        edge_type=table[:, 1].contiguous(),
        num_nodes=num_nodes,
    )


@pytest.fixture
def splits():
    """Five entities, three relations; entity 4 and relation 2 are unseen."""
    return (
        split((0, 0, 1), (0, 0, 2), (1, 0, 2), (0, 1, 3), (2, 1, 2)),
        split((0, 0, 3)),
        split((0, 0, 1), (1, 1, 3), (4, 0, 1), (1, 2, 0)),
    )


@pytest.fixture
def toy(splits):
    return as_kg(splits)


def random_edges(num_nodes, num_relations, num_edges, seed=0):
    generator = torch.Generator().manual_seed(seed)
    edge_index = torch.randint(num_nodes, (2, num_edges), generator=generator)
    edge_type = torch.randint(num_relations, (num_edges,), generator=generator)
    return edge_index, edge_type


@pytest.fixture(scope="session")
def awkward_graph(tmp_path_factory):
    """A folder with a graph of awkward names."""
    from tests.inference.graph import write_graph

    return write_graph(tmp_path_factory.mktemp("awkward") / "my graph")


@pytest.fixture(scope="session")
def trained_run(awkward_graph, session_cache):
    """A small run on that graph; tests must not write to it."""
    from tests.inference.graph import train

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYG_CAGP_CACHE", str(session_cache))
        return train(awkward_graph, awkward_graph.with_name("run"))


@pytest.fixture
def own_run(trained_run, tmp_path):
    """A copy of that run, which a test may change."""
    return shutil.copytree(trained_run, tmp_path / "run")
