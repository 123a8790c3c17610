r"""The options of training and of the posterior."""

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pyg_cagp._utils.checks import check_choice, check_least
from pyg_cagp.exceptions import InvalidInputError

OptimizerName: TypeAlias = Literal["adam", "sparse-adam", "adagrad"]
Schedule: TypeAlias = Literal["constant", "linear", "cosine"]
PosteriorName: TypeAlias = Literal["laplace", "variational"]
Structure: TypeAlias = Literal["isotropic", "diagonal"]

#: The smallest values of training options.
LEAST = {
    **dict.fromkeys(("epochs", "batch_size", "eval_every"), 1),
    **dict.fromkeys(("clip_norm", "kl_warmup", "eval_triples"), 0),
    **dict.fromkeys(("patience", "checkpoint_every"), 0),
}

#: The descriptions of the types of options, for messages.
TYPES = {
    bool: "True or False",
    int: "a whole number",
    float: "a finite number",
    str: "text",
}


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    r"""The options of a training loop.

    Args:
        epochs (int, optional): The number of epochs. (default: :obj:`20`)
        batch_size (int, optional): The number of triples in a step.
            (default: :obj:`1024`)
        lr (float, optional): The learning rate. (default: :obj:`0.01`)
        optimizer (str, optional): :obj:`"adam"`, :obj:`"sparse-adam"` (which
            moves only the rows of a batch, and needs sparse gradients) or
            :obj:`"adagrad"`. (default: :obj:`"adam"`)
        schedule (str, optional): The decay of the learning rate:
            :obj:`"constant"`, :obj:`"linear"` or :obj:`"cosine"`.
            (default: :obj:`"linear"`)
        clip_norm (float, optional): The largest joint norm of all gradients;
            no clipping if set to 0. (default: :obj:`0.0`)
        kl_warmup (float, optional): The number of epochs in which the weight of
            the prior rises to its full value. (default: :obj:`0.0`)
        eval_every (int, optional): The number of epochs between validation
            passes. (default: :obj:`5`)
        eval_triples (int, optional): The number of validation triples of a
            pass; all if set to 0. (default: :obj:`2000`)
        patience (int, optional): The number of validation passes without a
            better MRR after which training ends; never if set to 0.
            (default: :obj:`0`)
        checkpoint_every (int, optional): The number of steps between
            checkpoints within an epoch; none if set to 0. (default: :obj:`0`)
        mixed_precision (bool, optional): If set to :obj:`True`, bilinear models
            compute scores of many candidates in :obj:`bfloat16`.
            (default: :obj:`False`)
    """

    epochs: int = 20
    batch_size: int = 1024
    lr: float = 0.01
    optimizer: OptimizerName = "adam"
    schedule: Schedule = "linear"
    clip_norm: float = 0.0
    kl_warmup: float = 0.0
    eval_every: int = 5
    eval_triples: int = 2000
    patience: int = 0
    checkpoint_every: int = 0
    mixed_precision: bool = False

    def __post_init__(self) -> None:
        for name, least in LEAST.items():
            check_least(name, getattr(self, name), least)
        if not self.lr > 0:
            raise InvalidInputError(f"'lr' must be positive (got {self.lr})")
        check_choice("optimizer", self.optimizer, OptimizerName)
        check_choice("schedule", self.schedule, Schedule)


@dataclass(frozen=True, kw_only=True)
class PosteriorOptions:
    r"""The options of the posterior of a trained model.

    Args:
        name (str, optional): :obj:`"laplace"` or :obj:`"variational"`.
            (default: :obj:`"laplace"`)
        prior (str or float, optional): The prior of a Laplace posterior; see
            :class:`~pyg_cagp.nn.posterior.LaplacePosterior`.
            (default: :obj:`"marginal"`)
        structure (str, optional): :obj:`"isotropic"` or :obj:`"diagonal"`.
            (default: :obj:`"isotropic"`)
        num_negatives (int, optional): The number of candidates of a query in
            the curvature; all if set to 0. (default: :obj:`0`)
        num_draws (int, optional): The number of draws from the trained
            variances that the curvature is averaged over; the curvature at the
            means if set to 0. (default: :obj:`0`)
    """

    name: PosteriorName = "laplace"
    prior: Literal["marginal", "validation", "model"] | float = "marginal"
    structure: Structure = "isotropic"
    num_negatives: int = 0
    num_draws: int = 0

    def __post_init__(self) -> None:
        check_choice("posterior.name", self.name, PosteriorName)


def check_options(
    options: dict[str, Any], defaults: dict[str, Any], owner: str
) -> None:
    r"""Checks that options exist and have the types of their defaults. Messages
    have the name of the owner.
    """
    for key, value in options.items():
        if key not in defaults:
            raise InvalidInputError(
                f"{owner} has no option '{key}'; it has "
                f"{', '.join(sorted(defaults))}"
            )
        # A prior is a name or a number.
        examples = (defaults[key], 1.0) if key == "prior" else (defaults[key],)
        if not any(_is_like(value, example) for example in examples):
            types = [TYPES.get(type(e), f"like {e!r}") for e in examples]
            raise InvalidInputError(
                f"{owner}: '{key}' must be {' or '.join(types)} (got {value!r})"
            )


def _is_like(value: Any, default: Any) -> bool:
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    if isinstance(default, float):
        return isinstance(value, (int, float)) and math.isfinite(value)
    if isinstance(default, tuple):
        return (
            isinstance(value, (list, tuple))
            and len(value) == len(default)
            and all(map(_is_like, value, default))
        )
    return isinstance(value, type(default))
