r"""Builds models, objectives and posteriors from a config."""

import inspect
from typing import Any

import torch
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.data import AnswerIndex, triples
from pyg_cagp.nn.kge import (
    KG2E,
    GaussianComplEx,
    GaussianDistMult,
    GaussianKGEModel,
    GaussianRotatE,
    GaussianTransE,
    Objective,
    OneNegative,
    OneVsAll,
    SampledSoftmax,
    SelfAdversarial,
    bernoulli_rates,
)
from pyg_cagp.nn.posterior import (
    LaplacePosterior,
    Posterior,
    VariationalPosterior,
)
from pyg_cagp.train.options import PosteriorOptions, check_options

#: The models by name.
MODELS: dict[str, type[GaussianKGEModel]] = {
    "gaussian-distmult": GaussianDistMult,
    "gaussian-complex": GaussianComplEx,
    "gaussian-transe": GaussianTransE,
    "gaussian-rotate": GaussianRotatE,
    "kg2e": KG2E,
}

_SAMPLED = {"num_negatives": 512, "filtered": False}

#: The objectives by name, and the options of each, with defaults.
OBJECTIVES: dict[str, dict[str, Any]] = {
    "sampled-softmax": _SAMPLED,
    "self-adversarial": {**_SAMPLED, "temperature": 1.0},
    "one-vs-all": {"filtered": False},
    "bce": {"bernoulli": False},
    "margin": {"margin": 1.0, "bernoulli": False},
}


def build_model(
    config: dict[str, Any],
    num_nodes: int,
    num_relations: int,
    *,
    objective: Objective | None = None,
    seed: int = 0,
) -> GaussianKGEModel:
    r"""Makes a model with random weights.

    Args:
        config (dict): The name of the model and its arguments.
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.
        objective (Objective, optional): The objective. (default: :obj:`None`)
        seed (int, optional): The seed of the weights. (default: :obj:`0`)
    """
    options = dict(config)
    name = options.pop("name", None)
    check_choice("model.name", name, tuple(MODELS))
    kind = MODELS[name]
    check_options(options, _arguments(kind), f"model '{name}'")
    options.setdefault("hidden_channels", 100)
    # Weights come from PyTorch's global generator, as in PyG. Its state is
    # restored.
    with torch.random.fork_rng(range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        return kind(num_nodes, num_relations, objective=objective, **options)


def _arguments(kind: type) -> dict[str, Any]:
    r"""Returns the options of a model, with defaults."""
    defaults: dict[str, Any] = {}
    for base in kind.__mro__:
        if "__init__" in vars(base):
            signature = inspect.signature(vars(base)["__init__"])
            for name, entry in signature.parameters.items():
                if entry.default is not entry.empty:
                    defaults.setdefault(name, entry.default)
        if base is GaussianKGEModel:
            break
    defaults.pop("objective", None)
    return {"hidden_channels": 100, **defaults}


def build_objective(config: dict[str, Any], kg: Data) -> Objective | None:
    r"""Makes an objective, or returns :obj:`None` for an empty config: a model
    without an objective uses its default.

    Args:
        config (dict): The name of the objective and its arguments.
        kg (Data): The graph, for objectives that read training triples.
    """
    if not config:
        return None
    options = dict(config)
    name = options.pop("name", "sampled-softmax")
    check_choice("objective.name", name, tuple(OBJECTIVES))
    check_options(options, OBJECTIVES[name], f"objective '{name}'")
    known = None
    if options.pop("filtered", False):
        known = AnswerIndex.from_data(kg, "train")
    if name == "sampled-softmax":
        return SampledSoftmax(known=known, **options)
    if name == "self-adversarial":
        return SelfAdversarial(known=known, **options)
    if name == "one-vs-all":
        return OneVsAll(known=known)
    rates = None
    if options.pop("bernoulli", False):
        head, rel, tail = triples(kg, "train")
        rates = bernoulli_rates(head, rel, tail, kg.num_relations)
    return OneNegative(kind=name, head_rate=rates, **options)


def build_posterior(
    options: PosteriorOptions, *, seed: int = 0, progress: bool = False
) -> LaplacePosterior | VariationalPosterior:
    r"""Makes the object that fits the posterior of a trained model.

    Args:
        options (PosteriorOptions): The options of the posterior.
        seed (int, optional): The seed. (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar.
            (default: :obj:`False`)
    """
    if options.name == "variational":
        return VariationalPosterior()
    return LaplacePosterior(
        options.prior,
        structure=options.structure,
        num_negatives=options.num_negatives or None,
        seed=seed,
        progress=progress,
        num_draws=options.num_draws,
    )


def fit_posterior(
    fitter: LaplacePosterior | VariationalPosterior,
    model: GaussianKGEModel,
    kg: Data,
) -> Posterior:
    r"""Returns the posterior of a trained model."""
    device = model.node_emb.weight.device
    head, rel, tail = (part.to(device) for part in triples(kg, "train"))
    if isinstance(fitter, VariationalPosterior):
        return fitter.fit(model, head, rel, tail)
    h, r, t = (part.to(device) for part in triples(kg, "val"))
    return fitter.fit(model, head, rel, tail, val=(h, r, t))
