"""The graph and the trained models of the tests of estimators."""

import pytest
import torch

from pyg_cagp import Coverage
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.train import Config, train_ensemble


@pytest.fixture(scope="session")
def world():
    return SyntheticKG(num_nodes=600, num_relations=20, num_triples=8000)[0]


@pytest.fixture(scope="session")
def coverage(world):
    return Coverage.from_data(world)


@pytest.fixture(scope="session")
def members(world, tmp_path_factory):
    """Three models from different seeds."""
    config = Config.find("synthetic", "gaussian-distmult")
    config = config.override(
        {"model.hidden_channels": 16, "model.prior_variance": 0.1}
    )
    runs = train_ensemble(
        world,
        config,
        out=tmp_path_factory.mktemp("runs"),
        num_members=3,
        progress=False,
    )
    return [run.model.requires_grad_(False) for run in runs]


@pytest.fixture(scope="session")
def model(members):
    return members[0]


@pytest.fixture(scope="session")
def triples(world):
    """Some test triples, and some random ones."""
    generator = torch.Generator().manual_seed(0)
    edges = world.test_mask.nonzero().view(-1)[:60]
    head, tail = world.edge_index[:, edges]
    random = torch.randint(world.num_nodes, (60,), generator=generator)
    rel = world.edge_type[edges]
    return (
        torch.cat([head, head]),
        torch.cat([rel, rel]),
        torch.cat([tail, random]),
    )
