r"""Makes of a config what it describes."""

import inspect
from typing import Any

import torch
from torch_geometric.data import Data

from pyg_cagp.data import AnswerIndex, split_edges
from pyg_cagp.data.checks import check_choice
from pyg_cagp.exceptions import InvalidInputError
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
from pyg_cagp.train.options import PosteriorOptions

#: The models by name.
MODELS: dict[str, type[GaussianKGEModel]] = {
    "gaussian-distmult": GaussianDistMult,
    "gaussian-complex": GaussianComplEx,
    "gaussian-transe": GaussianTransE,
    "gaussian-rotate": GaussianRotatE,
    "kg2e": KG2E,
}

#: The objectives by name, and what each can be told.
OBJECTIVES: dict[str, tuple[str, ...]] = {
    "sampled-softmax": ("num_negatives", "filtered"),
    "self-adversarial": ("num_negatives", "filtered", "temperature"),
    "one-vs-all": ("filtered",),
    "bce": ("bernoulli",),
    "margin": ("margin", "bernoulli"),
}


def build_model(
    config: dict[str, Any],
    num_nodes: int,
    num_relations: int,
    objective: Objective | None = None,
    seed: int = 0,
) -> GaussianKGEModel:
    r"""Makes a model, its weights drawn from a seed.

    Args:
        config (dict): The name of the model and its arguments.
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.
        objective (Objective, optional): What to train it by.
            (default: :obj:`None`)
        seed (int, optional): The seed of the weights. (default: :obj:`0`)
    """
    options = dict(config)
    name = options.pop("name", None)
    check_choice("model.name", name, tuple(MODELS))
    kind = MODELS[name]
    known = _arguments(kind) - {"num_nodes", "num_relations", "objective"}
    for key in options:
        if key not in known:
            raise InvalidInputError(
                f"'{name}' has no option '{key}'; it has "
                f"{', '.join(sorted(known))}"
            )
    options.setdefault("hidden_channels", 100)
    # Weights come from PyTorch's global generator, as in PyG; it is lent and
    # given back, so that nothing else is disturbed.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return kind(num_nodes, num_relations, objective=objective, **options)


def _arguments(kind: type) -> set[str]:
    names: set[str] = set()
    for base in kind.__mro__:
        if "__init__" in vars(base):
            names |= set(inspect.signature(vars(base)["__init__"]).parameters)
        if base is GaussianKGEModel:
            break
    return names - {"self", "kwargs"}


def build_objective(config: dict[str, Any], kg: Data) -> Objective | None:
    r"""Makes an objective; none, for that of the model, if nothing is said.

    Args:
        config (dict): The name of the objective and its arguments.
        kg (Data): The graph, for objectives that look at training triples.
    """
    if not config:
        return None
    options = dict(config)
    name = options.pop("name", "sampled-softmax")
    check_choice("objective.name", name, tuple(OBJECTIVES))
    for key in options:
        if key not in OBJECTIVES[name]:
            raise InvalidInputError(
                f"objective '{name}' has no option '{key}'; it has "
                f"{', '.join(OBJECTIVES[name])}"
            )
    known = None
    if options.pop("filtered", False):
        known = AnswerIndex.from_data(kg, "train")
    if name == "sampled-softmax":
        return SampledSoftmax(known=known, **options)
    if name == "self-adversarial":
        return SelfAdversarial(known=known, **options)
    if name == "one-vs-all":
        return OneVsAll(known)
    rates = None
    if options.pop("bernoulli", False):
        (head, tail), rel = split_edges(kg, "train")
        rates = bernoulli_rates(head, rel, tail, kg.num_relations)
    return OneNegative(name, head_rate=rates, **options)


def build_posterior(
    options: PosteriorOptions, seed: int = 0, progress: bool = False
) -> Posterior:
    r"""Makes what is to find the variances of a trained model.

    Args:
        options (PosteriorOptions): What to find them by.
        seed (int, optional): The seed. (default: :obj:`0`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar.
            (default: :obj:`False`)
    """
    if options.name == "variational":
        return VariationalPosterior()
    return LaplacePosterior(
        options.prior,
        options.structure,
        options.num_negatives or None,
        seed=seed,
        progress=progress,
    )
