"""Configs: shipped, changed and wrong ones."""

import tomllib
from importlib import resources
from itertools import product

import pytest
import torch

from pyg_cagp.datasets import load
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import KvsAll, OneNegative, SampledSoftmax
from pyg_cagp.train import (
    Config,
    TrainOptions,
    build_model,
    build_objective,
    build_posterior,
)
from pyg_cagp.train.build import MODELS
from tests.loops import for_each

DATASETS = (
    "fb15k-237",
    "wn18rr",
    "yago3-10",
    "icews14",
    "codex-s",
    "synthetic",
)


@pytest.fixture(scope="module")
def kg():
    return load("synthetic")


@for_each(("dataset", "model"), product(DATASETS, MODELS))
def test_shipped_configs_build_each_model_on_each_dataset(kg, dataset, model):
    path = resources.files("pyg_cagp.train") / "configs" / f"{model}.toml"
    assert dataset in tomllib.loads(path.read_text())["graphs"]
    config = Config.find(dataset, model)
    assert config.model["name"] == model
    objective = build_objective(config.objective, kg)
    built = build_model(config.model, 9, 2, objective=objective)
    assert type(built) is MODELS[model]
    build_posterior(config.posterior)


@pytest.mark.filterwarnings("error")
@for_each("dataset", ["FB15k-237", "WN18RR", "Synthetic"])
def test_dataset_names_ignore_case(dataset):
    config = Config.find(dataset, "kg2e")
    assert config == Config.find(dataset.lower(), "kg2e")
    assert Config.find(dataset) == Config.find(dataset, "gaussian-distmult")


@for_each(
    ("dataset", "width", "epochs", "batch_size"),
    [
        ("fb15k-237", 100, 40, 1024),
        ("wn18rr", 100, 80, 1024),
        ("yago3-10", 100, 40, 4096),
        ("synthetic", 32, 40, 1024),
    ],
)
def test_configs_depend_on_the_dataset(dataset, width, epochs, batch_size):
    config = Config.find(dataset, "kg2e")
    assert config.model["hidden_channels"] == width
    assert config.objective == {"name": "margin", "bernoulli": True}
    assert config.train.epochs == epochs
    assert config.train.batch_size == batch_size
    assert config.train.lr == 0.02


@pytest.mark.parametrize("dataset", ["my/own/folder", "codex-m", None])
def test_only_shipped_configs_are_found(dataset):
    with pytest.raises(InvalidInputError, match=r"use Config\.for_graph\(kg\)"):
        Config.find(dataset, "kg2e")


@pytest.mark.parametrize("model", MODELS)
def test_a_config_is_the_same_after_it_was_written(tmp_path, model):
    path = tmp_path / "config.toml"
    for dataset in DATASETS:
        config = Config.find(dataset, model)
        path.write_text(config.to_toml())
        assert Config.from_file(path) == config


def test_recipe_of_the_paper(kg):
    config = Config.find("wn18rr", "gaussian-complex", recipe="paper")
    objective = build_objective(config.objective, kg)
    model = build_model(config.model, 9, 2, objective=objective)
    assert isinstance(objective, OneNegative)
    assert (model.kl_weight, model.prior.reduction) == (0.01, "dense")
    assert model.hidden_channels == 100
    train = config.train
    assert (train.batch_size, train.lr, train.epochs) == (2048, 1e-3, 50)
    assert config.posterior.name == "variational"


def test_config_round_trip_and_override():
    config = Config.find("fb15k-237", "gaussian-distmult")
    assert Config.from_dict(config.to_dict(), "test") == config
    other = config.override({"train.lr": 0.5, "model.hidden_channels": 7})
    assert other.train.lr == 0.5
    assert other.model["hidden_channels"] == 7
    assert config.train.lr != 0.5


def test_build_objective(kg):
    assert build_objective({}, kg) is None
    got = build_objective({"num_negatives": 9, "filtered": True}, kg)
    assert isinstance(got, SampledSoftmax)
    assert got.num_negatives == 9
    assert len(got.known) == len(
        torch.stack([*kg.edge_index, kg.edge_type])[:, kg.train_mask].unique(
            dim=1
        )[0]
    )
    got = build_objective({"name": "self-adversarial", "temperature": 2.0}, kg)
    assert got.temperature == 2.0
    assert isinstance(build_objective({"name": "kvsall"}, kg), KvsAll)
    got = build_objective(
        {"name": "margin", "margin": 3.0, "bernoulli": True}, kg
    )
    assert got.margin == 3.0
    assert got.head_rate.shape == (kg.num_relations,)


def test_initial_weights_depend_on_the_seed_only():
    config = {"name": "gaussian-rotate", "hidden_channels": 3}
    torch.manual_seed(0)
    state = torch.get_rng_state()
    first = build_model(config, 9, 2, seed=4).node_emb.weight
    assert torch.equal(torch.get_rng_state(), state)
    torch.rand(3)
    assert torch.equal(first, build_model(config, 9, 2, seed=4).node_emb.weight)
    other = build_model(config, 9, 2, seed=5).node_emb.weight
    assert not torch.equal(first, other)


@for_each(
    ("options", "message"),
    [
        ({"epochs": 0}, "'epochs'"),
        ({"batch_size": 0}, "'batch_size'"),
        ({"lr": 0.0}, "'lr'"),
        ({"clip_norm": -1.0}, "'clip_norm'"),
        ({"optimizer": "sgd"}, "'optimizer'"),
        ({"schedule": "step"}, "'schedule'"),
    ],
)
def test_bad_train_options_raise(options, message):
    with pytest.raises(InvalidInputError, match=message):
        TrainOptions(**options)


@for_each(
    ("text", "message"),
    [
        ("[model]\nname = 'x'\n[optim]\nlr = 1", "'optim'"),
        ("[train]\nlr = 1", "'name'"),
        ("[model]\nname = 'x'\n[train]\nrate = 1", "'rate'"),
        ("[model]\nname = 'x'\n[train]\nepochs = 1.5", "'epochs'"),
        ("[model]\nname = 'x'\n[train]\nepochs = true", "'epochs'"),
        ("[model]\nname = 'x'\n[train]\nclip_norm = nan", "'clip_norm'"),
        ("[model]\nname = 'x'\n[train]\nkl_warmup = inf", "'kl_warmup'"),
        (
            "[model]\nname = 'x'\n[train]\nmixed_precision = 1",
            "'mixed_precision'",
        ),
        ("[model", "TOML"),
    ],
)
def test_bad_config_files_raise(tmp_path, text, message):
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        Config.from_file(path)


def test_bad_names_and_model_options_raise(kg, tmp_path):
    with pytest.raises(InvalidInputError, match=r"none\.toml"):
        Config.from_file(tmp_path / "none.toml")
    with pytest.raises(InvalidInputError, match="'model'"):
        Config.find("synthetic", "distmult")
    with pytest.raises(InvalidInputError, match="'recipe'"):
        Config.find("synthetic", "kg2e", recipe="best")
    config = Config.find("synthetic", "kg2e")
    with pytest.raises(InvalidInputError, match=r"SECTION\.KEY"):
        config.override({"lr": 1})
    with pytest.raises(InvalidInputError, match="'kg2e'"):
        build_model({"name": "kg2e", "margn": 1}, 9, 2)
    for option, value in (
        ("hidden_channels", "abc"),
        ("hidden_channels", True),
        ("hidden_channels", 1.5),
        ("learn_prior", "False"),
        ("prior_variance", "x"),
        ("kl_weight", float("nan")),
        ("variance_range", 3),
        ("variance_range", [1.0]),
    ):
        with pytest.raises(InvalidInputError, match=option):
            build_model({"name": "kg2e", option: value}, 9, 2)
    with pytest.raises(InvalidInputError, match=r"'model\.name'"):
        build_model({"name": "distmult"}, 9, 2)
    with pytest.raises(InvalidInputError, match="'bce'"):
        build_objective({"name": "bce", "margin": 1.0}, kg)
    with pytest.raises(InvalidInputError, match="'filtered'"):
        build_objective({"filtered": "False"}, kg)
    with pytest.raises(InvalidInputError, match=r"'objective\.name'"):
        build_objective({"name": "nll"}, kg)
    with pytest.raises(InvalidInputError, match=r"'posterior\.name'"):
        config.override({"posterior.name": "swag"})
