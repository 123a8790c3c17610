r"""How much is computed: all of it, or enough to see that it works."""

from dataclasses import dataclass, field
from typing import Any

#: The model whose doubt is judged on each graph.
BACKBONES = {
    "fb15k-237": "gaussian-distmult",
    "wn18rr": "gaussian-complex",
    "icews14": "gaussian-distmult",
    "codex-s": "gaussian-complex",
    "yago-sample": "gaussian-complex",
    "yago3-10": "gaussian-complex",
    "nl27k": "gaussian-distmult",
}


@dataclass(frozen=True)
class Budget:
    r"""What the grid is made of.

    Args:
        datasets (tuple): The graphs.
        seeds (int): The number of seeds.
        changes (dict): What is changed in shipped configs.
        rival (dict): What is changed in the config of models that are trained
            only as part of a rival.
        rival_triples (int): How many training triples a rival that trains
            itself sees, each time it sees one.
        rival_factors (dict): How many times as many some of them see, as they
            learn more slowly or cost less.
        members (int): The number of members of an ensemble.
        resamples (int): The number of resamples of a bootstrap.
        architectures (tuple): The models that are compared with each other.
        architecture (dict): What is changed in their configs.
    """

    datasets: tuple[str, ...]
    seeds: int = 3
    changes: dict[str, Any] = field(default_factory=dict)
    rival: dict[str, Any] = field(default_factory=dict)
    rival_triples: int = 1_000_000
    rival_factors: dict[str, int] = field(default_factory=lambda: {"ukge": 4})
    members: int = 5
    resamples: int = 10_000
    architectures: tuple[str, ...] = (
        "gaussian-distmult",
        "gaussian-transe",
        "gaussian-complex",
        "gaussian-rotate",
    )
    architecture: dict[str, Any] = field(default_factory=dict)


#: Members of an ensemble, the model with dropout and the models that are
#: compared with each other are trained for a shorter time than the model that
#: is judged: thirty of them must not take a day.
FULL = Budget(
    datasets=("fb15k-237", "wn18rr", "icews14", "yago-sample", "codex-s"),
    rival={
        "model.variational": False,
        "train.epochs": 8,
        "train.batch_size": 1024,
        "objective.num_negatives": 512,
        "posterior.num_negatives": 64,
    },
    architecture={
        "train.epochs": 8,
        "objective.num_negatives": 128,
        "train.batch_size": 1024,
        "posterior.num_negatives": 128,
    },
)

QUICK = Budget(
    datasets=("synthetic", "subsample"),
    seeds=2,
    changes={
        "train.epochs": 4,
        "model.hidden_channels": 16,
        "train.eval_every": 4,
        "posterior.num_draws": 0,
    },
    rival={
        "model.variational": False,
        "train.epochs": 2,
        "posterior.num_negatives": 64,
    },
    rival_triples=20_000,
    members=2,
    resamples=200,
    architecture={"train.epochs": 2},
)
