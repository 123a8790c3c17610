r"""What is computed: the whole grid, or a small one with every switch."""

from dataclasses import dataclass, field
from typing import Any

#: The model that is evaluated on each graph.
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
        confidences (str): The graph with confidences.
        seeds (int): The number of seeds.
        changes (dict): Options that differ from the shipped configs.
        baseline (dict): Options that differ for models that are trained only
            as part of a baseline.
        baseline_triples (int): How many training triples a baseline that
            trains itself sees, repeats counted.
        baseline_factors (dict): How many times as many some of them see, as
            they learn more slowly or cost less.
        members (int): The number of members of an ensemble.
        resamples (int): The number of resamples of a bootstrap.
        architectures (tuple): The models that are compared with each other.
        architecture (dict): Options that differ in their configs.
        switches (dict): Further models by a name of their own, each with the
            options that differ from its shipped config.
    """

    datasets: tuple[str, ...]
    confidences: str
    seeds: int = 3
    changes: dict[str, Any] = field(default_factory=dict)
    baseline: dict[str, Any] = field(default_factory=dict)
    baseline_triples: int = 1_000_000
    baseline_factors: dict[str, int] = field(
        default_factory=lambda: {"ukge": 4}
    )
    members: int = 5
    resamples: int = 10_000
    architectures: tuple[str, ...] = (
        "gaussian-distmult",
        "gaussian-transe",
        "gaussian-complex",
        "gaussian-rotate",
    )
    architecture: dict[str, Any] = field(default_factory=dict)
    switches: dict[str, tuple[str, dict[str, Any]]] = field(
        default_factory=dict
    )


#: Members of an ensemble, the model with dropout and the models that are
#: compared with each other are trained for a shorter time than the model that
#: is evaluated: thirty of them would take a day.
FULL = Budget(
    datasets=("fb15k-237", "wn18rr", "icews14", "yago-sample", "codex-s"),
    confidences="nl27k",
    baseline={
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

_WN18RR = {
    "model.hidden_channels": 8,
    "model.prior_variance": 0.1,
    "model.kl_weight": 0.7,
    "model.reciprocal": True,
    "model.dropout": 0.3,
    "model.sparse": True,
    "objective.name": "sampled-softmax",
    "objective.num_negatives": 64,
    "train.epochs": 4,
    "train.batch_size": 256,
    "train.optimizer": "adagrad",
    "train.lr": 0.3,
    "train.kl_warmup": 2.0,
    "train.eval_every": 2,
    "posterior.num_negatives": 64,
    "posterior.num_draws": 2,
}
_SMALL = {
    "model.hidden_channels": 8,
    "train.epochs": 2,
    "train.batch_size": 256,
    "train.eval_every": 2,
}

#: The golden run: a pinned graph, and a small model for each switch that
#: configs of the whole grid use.
GOLDEN = Budget(
    datasets=("golden",),
    confidences="golden-confidences",
    seeds=1,
    changes=_WN18RR,
    baseline={
        "model.variational": False,
        "train.epochs": 2,
        "posterior.num_negatives": 64,
    },
    baseline_triples=20_000,
    members=2,
    resamples=200,
    architectures=(),
    switches={
        "adam": (
            "gaussian-distmult",
            {
                **_SMALL,
                "model.reciprocal": True,
                "objective.name": "sampled-softmax",
                "objective.num_negatives": 64,
                "objective.filtered": True,
                "train.schedule": "cosine",
                "train.clip_norm": 1.0,
            },
        ),
        "complex": ("gaussian-complex", _WN18RR),
        "self-adversarial": (
            "gaussian-transe",
            {
                **_SMALL,
                "model.sparse": True,
                "objective.name": "self-adversarial",
                "objective.num_negatives": 32,
                "train.optimizer": "sparse-adam",
                "posterior.structure": "diagonal",
                "posterior.prior": "validation",
            },
        ),
        "one-vs-all": (
            "gaussian-distmult",
            {
                **_SMALL,
                "model.covariance": "spherical",
                "objective.name": "one-vs-all",
                "train.noise_table": 65536,
                "posterior.prior": 1.0,
            },
        ),
        "rotate": ("gaussian-rotate", {**_SMALL, "posterior.prior": "model"}),
        "kg2e": ("kg2e", _SMALL),
    },
)
