"""Configs that are chosen by the size of a graph."""

import math

import pytest

from pyg_cagp.data import as_kg
from pyg_cagp.datasets import load
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.train import Config, train_run
from pyg_cagp.train.build import MODELS
from pyg_cagp.train.for_graph import GraphSize, free_memory, measure
from tests.conftest import split
from tests.train.graph import graph


def test_sizes_are_those_of_sets():
    kg = as_kg(graph(30, 500))
    assert kg.train_mask.sum() == 500
    head, tail = kg.edge_index[:, kg.train_mask].tolist()
    triples = set(
        zip(head, kg.edge_type[kg.train_mask].tolist(), tail, strict=True)
    )
    queries = {(h, r) for h, r, _ in triples}
    inverse = {(t, r) for _, r, t in triples}
    got = measure(kg)
    assert got == GraphSize(30, len(triples), len(queries) + len(inverse))
    assert got.density == len(triples) / 30


@pytest.mark.parametrize(
    ("num_nodes", "num_train", "channels", "batch", "epochs", "n3"),
    [
        (1_000, 2_000, 256, 256, 100, 0.1),  # Two triples per entity.
        (1_000, 10_500, 256, 256, 100, 0.05),
        (1_000, 20_000, 256, 256, 100, 0.003),
        (12_000, 60_000, 256, 512, 50, 0.1),
        (20_001, 60_000, 128, 512, 50, 0.1),
    ],
)
def test_the_rules(num_nodes, num_train, channels, batch, epochs, n3):
    kg = graph(num_nodes, num_train)
    config = Config.for_graph(kg, memory=2**36)
    assert config.objective == {"name": "kvsall"}
    assert config.model["hidden_channels"] == channels
    assert config.model["n3"] == n3
    assert config.model["reciprocal"] is True
    train = config.train
    assert (train.batch_size, train.epochs) == (batch, epochs)
    assert (train.eval_every, train.patience) == (epochs // 10, 3)
    assert f"{num_nodes:,} entities" in config.source
    assert f"{channels} channels" in config.source
    other = Config.for_graph(kg, "gaussian-complex", memory=2**36)
    assert other.model["hidden_channels"] == 200


def test_large_graphs_take_a_sampled_softmax():
    config = Config.for_graph(graph(50_001, 100), memory=2**36)
    assert config.objective == {
        "name": "sampled-softmax",
        "num_negatives": 2048,
    }
    assert config.model["sparse"] is True
    assert "sampled-softmax of 2,048 negatives" in config.source


def test_little_memory_takes_fewer_channels():
    kg = graph(20_000, 30_000)
    channels = [
        Config.for_graph(kg, memory=memory).model["hidden_channels"]
        for memory in (2**36, 2**30, 2**28, 1)
    ]
    assert channels[0] == 256
    assert channels == sorted(channels, reverse=True)
    assert channels[-1] == 32
    # The scores of 512 queries take 512 * 20,000 * 4 bytes, twice.
    small = Config.for_graph(kg, memory=2**27)
    assert small.objective["name"] == "sampled-softmax"
    assert "for lack of memory" in small.source
    assert free_memory() > 2**20


@pytest.mark.parametrize(
    "model", ["gaussian-transe", "gaussian-rotate", "kg2e"]
)
def test_other_models_take_their_shipped_config(model):
    config = Config.for_graph(graph(100, 300), model)
    assert config == Config.find("fb15k-237", model)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("num_nodes", [5, 60_000])
def test_each_config_trains(model, num_nodes):
    kg = graph(num_nodes, 40, num_relations=1)
    config = Config.for_graph(kg, model).override(
        {"train.epochs": 2, "train.eval_triples": 2, "model.hidden_channels": 4}
    )
    run = train_run(kg, config, progress=False)
    assert math.isfinite(run.record["validation"]["val/log_loss"])


def test_bad_input():
    one = as_kg([split((0, 0, 0), num_nodes=1)] * 3)
    with pytest.raises(InvalidInputError, match=r"at least 2 entities.*got 1"):
        Config.for_graph(one)
    with pytest.raises(InvalidInputError, match="no training triples"):
        Config.for_graph(graph(5, 0))
    with pytest.raises(InvalidInputError, match="'memory' must be at least 1"):
        Config.for_graph(graph(5, 9), memory=0)
    with pytest.raises(InvalidInputError, match="'model' must be one of"):
        Config.for_graph(load("synthetic"), "distmult")
