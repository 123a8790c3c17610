"""Configs: those that ship, and those that are wrong."""

import tomllib
from importlib import resources

import pytest
import torch

from pyg_cagp.datasets import load
from pyg_cagp.exceptions import CAGPWarning, InvalidInputError
from pyg_cagp.nn.kge import KvsAll, OneNegative, SampledSoftmax
from pyg_cagp.train import (
    Config,
    TrainOptions,
    build_model,
    build_objective,
    build_posterior,
)
from pyg_cagp.train.build import MODELS

DATASETS = (
    "fb15k-237",
    "wn18rr",
    "yago3-10",
    "icews14",
    "codex-s",
    "synthetic",
)


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("model", MODELS)
def test_a_config_ships_for_each_model_on_each_dataset(dataset, model):
    path = resources.files("pyg_cagp.train") / "configs" / f"{model}.toml"
    assert dataset in tomllib.loads(path.read_text())["graphs"]
    config = Config.find(dataset, model)
    assert config.model["name"] == model
    kg = load("synthetic")
    objective = build_objective(config.objective, kg)
    built = build_model(config.model, 9, 2, objective=objective)
    assert type(built) is MODELS[model]
    build_posterior(config.posterior)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dataset", ["FB15k-237", "WN18RR", "Synthetic"])
def test_capitals_do_not_matter(dataset):
    config = Config.find(dataset, "kg2e")
    assert config == Config.find(dataset.lower(), "kg2e")
    assert Config.find(dataset) == Config.find(dataset, "gaussian-distmult")


@pytest.mark.parametrize(
    ("dataset", "width", "epochs", "batch_size"),
    [
        ("fb15k-237", 100, 40, 1024),
        ("wn18rr", 100, 80, 1024),
        ("yago3-10", 100, 40, 4096),
        ("synthetic", 32, 40, 1024),
    ],
)
def test_a_graph_changes_the_config_of_a_model(
    dataset, width, epochs, batch_size
):
    config = Config.find(dataset, "kg2e")
    assert config.model["hidden_channels"] == width
    assert config.objective == {"name": "margin", "bernoulli": True}
    assert config.train.epochs == epochs
    assert config.train.batch_size == batch_size
    assert config.train.lr == 0.02


def test_other_graphs_get_the_config_of_the_generated_one(tmp_path):
    # A config beside the triples is not one that ships.
    (tmp_path / "kg2e.toml").write_text("[model]\nname = 'gaussian-rotate'")
    for dataset in ("my/own/folder", "codex-m", str(tmp_path)):
        with pytest.warns(CAGPWarning, match=f"no config ships for '{dataset}"):
            config = Config.find(dataset, "kg2e")
        assert config == Config.find("synthetic", "kg2e")


def test_the_recipe_of_the_paper():
    config = Config.find("wn18rr", "gaussian-complex", recipe="paper")
    kg = load("synthetic")
    objective = build_objective(config.objective, kg)
    model = build_model(config.model, 9, 2, objective=objective)
    assert isinstance(objective, OneNegative)
    assert (model.kl_weight, model.prior.reduction) == (0.01, "dense")
    assert model.hidden_channels == 100
    train = config.train
    assert (train.batch_size, train.lr, train.epochs) == (2048, 1e-3, 50)
    assert config.posterior.name == "variational"


def test_goes_round():
    config = Config.find("fb15k-237", "gaussian-distmult")
    assert Config.from_dict(config.to_dict(), "test") == config
    other = config.override({"train.lr": 0.5, "model.hidden_channels": 7})
    assert other.train.lr == 0.5
    assert other.model["hidden_channels"] == 7
    assert config.train.lr != 0.5


def test_builds_each_objective():
    kg = load("synthetic")
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


def test_weights_come_from_the_seed_alone():
    config = {"name": "gaussian-rotate", "hidden_channels": 3}
    torch.manual_seed(0)
    state = torch.get_rng_state()
    first = build_model(config, 9, 2, seed=4).node_emb.weight
    assert torch.equal(torch.get_rng_state(), state)
    torch.rand(3)
    assert torch.equal(first, build_model(config, 9, 2, seed=4).node_emb.weight)
    other = build_model(config, 9, 2, seed=5).node_emb.weight
    assert not torch.equal(first, other)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "'epochs' must be at least 1"),
        ({"batch_size": 0}, "'batch_size' must be at least 1"),
        ({"lr": 0.0}, "'lr' must be positive"),
        ({"clip_norm": -1.0}, "'clip_norm' must be at least 0"),
        ({"optimizer": "sgd"}, "'optimizer' must be one of"),
        ({"schedule": "step"}, "'schedule' must be one of"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InvalidInputError, match=message):
        TrainOptions(**options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[model]\nname = 'x'\n[optim]\nlr = 1", "no section 'optim'"),
        ("[train]\nlr = 1", "section 'model' needs a 'name'"),
        ("[model]\nname = 'x'\n[train]\nrate = 1", "no option 'rate'"),
        (
            "[model]\nname = 'x'\n[train]\nepochs = 1.5",
            "'epochs' must be a whole",
        ),
        (
            "[model]\nname = 'x'\n[train]\nepochs = true",
            "'epochs' must be a whole",
        ),
        (
            "[model]\nname = 'x'\n[train]\nclip_norm = nan",
            "'clip_norm' must be a finite",
        ),
        (
            "[model]\nname = 'x'\n[train]\nkl_warmup = inf",
            "'kl_warmup' must be a finite",
        ),
        (
            "[model]\nname = 'x'\n[train]\nmixed_precision = 1",
            "must be True or False",
        ),
        ("[model", "is not TOML"),
    ],
)
def test_bad_files(tmp_path, text, message):
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        Config.from_file(path)


def test_bad_names(tmp_path):
    with pytest.raises(InvalidInputError, match="cannot read the config"):
        Config.from_file(tmp_path / "none.toml")
    with pytest.raises(InvalidInputError, match="'model' must be one of"):
        Config.find("synthetic", "distmult")
    with pytest.raises(InvalidInputError, match="'recipe' must be one of"):
        Config.find("synthetic", "kg2e", recipe="best")
    config = Config.find("synthetic", "kg2e")
    with pytest.raises(InvalidInputError, match=r"written as SECTION\.KEY"):
        config.override({"lr": 1})
    with pytest.raises(InvalidInputError, match="'kg2e' has no option 'marg"):
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
        with pytest.raises(InvalidInputError, match=f"'{option}' must be "):
            build_model({"name": "kg2e", option: value}, 9, 2)
    with pytest.raises(InvalidInputError, match=r"'model.name' must be one"):
        build_model({"name": "distmult"}, 9, 2)
    kg = load("synthetic")
    with pytest.raises(InvalidInputError, match="'bce' has no option 'margin'"):
        build_objective({"name": "bce", "margin": 1.0}, kg)
    with pytest.raises(
        InvalidInputError, match="'filtered' must be True or False"
    ):
        build_objective({"filtered": "False"}, kg)
    with pytest.raises(InvalidInputError, match=r"'objective.name' must be"):
        build_objective({"name": "nll"}, kg)
    with pytest.raises(InvalidInputError, match=r"'posterior.name' must be"):
        config.override({"posterior.name": "swag"})
