r"""How a model is to be trained."""

import dataclasses
import math
import tomllib
import warnings
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from pyg_cagp._utils.checks import check_choice
from pyg_cagp._utils.names import dataset_key
from pyg_cagp.exceptions import CAGPWarning, InvalidInputError

OPTIMIZERS = ("adam", "sparse-adam", "adagrad")
SCHEDULES = ("constant", "linear", "cosine")
POSTERIORS = ("variational", "laplace")
SECTIONS = ("model", "objective", "train", "posterior")

#: The model that is trained if no other is named.
DEFAULT_MODEL = "gaussian-distmult"


@dataclass(frozen=True)
class TrainOptions:
    r"""The options of a training loop.

    Args:
        epochs (int, optional): The largest number of passes over the training
            triples. (default: :obj:`20`)
        batch_size (int, optional): The number of triples a step.
            (default: :obj:`1024`)
        lr (float, optional): The learning rate. (default: :obj:`0.01`)
        optimizer (str, optional): :obj:`"adam"` (the same whether gradients are
            sparse or not), :obj:`"sparse-adam"` (which moves only the rows of a
            batch, and needs sparse gradients) or :obj:`"adagrad"`.
            (default: :obj:`"adam"`)
        schedule (str, optional): How the learning rate falls from the first
            step to the last: :obj:`"constant"`, :obj:`"linear"` or
            :obj:`"cosine"`. (default: :obj:`"linear"`)
        clip_norm (float, optional): The largest norm of all gradients
            together; none if set to 0. (default: :obj:`0.0`)
        kl_warmup (float, optional): For how many epochs the weight of the prior
            rises from 0 to its full value. (default: :obj:`0.0`)
        eval_every (int, optional): The number of epochs between looks at the
            validation triples. (default: :obj:`5`)
        eval_triples (int, optional): How many validation triples to rank each
            time, always the same; all if set to 0. (default: :obj:`2000`)
        patience (int, optional): After how many looks without a better MRR to
            stop; never if set to 0. (default: :obj:`0`)
        checkpoint_every (int, optional): The number of steps between
            checkpoints, besides those at the end of epochs; none if set to 0.
            (default: :obj:`0`)
        noise_table (int, optional): If set, noise is read from a table of so
            many numbers instead of made anew; see
            :class:`~pyg_cagp.nn.kge.NoiseTable`. (default: :obj:`0`)
        mixed_precision (bool, optional): If set to :obj:`True`, matrix products
            are computed in :obj:`bfloat16`: the scores of many candidates by
            bilinear models, nothing else. (default: :obj:`False`)
    """

    epochs: int = 20
    batch_size: int = 1024
    lr: float = 0.01
    optimizer: str = "adam"
    schedule: str = "linear"
    clip_norm: float = 0.0
    kl_warmup: float = 0.0
    eval_every: int = 5
    eval_triples: int = 2000
    patience: int = 0
    checkpoint_every: int = 0
    noise_table: int = 0
    mixed_precision: bool = False

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "eval_every"):
            if getattr(self, name) < 1:
                raise InvalidInputError(
                    f"'{name}' must be at least 1 (got {getattr(self, name)})"
                )
        for name in (
            "clip_norm",
            "kl_warmup",
            "eval_triples",
            "patience",
            "checkpoint_every",
            "noise_table",
        ):
            if getattr(self, name) < 0:
                raise InvalidInputError(
                    f"'{name}' must not be negative (got {getattr(self, name)})"
                )
        if self.noise_table > 2**30:
            raise InvalidInputError(
                f"'noise_table' must be at most 2^30 (got {self.noise_table})"
            )
        if not self.lr > 0:
            raise InvalidInputError(f"'lr' must be positive (got {self.lr})")
        check_choice("optimizer", self.optimizer, OPTIMIZERS)
        check_choice("schedule", self.schedule, SCHEDULES)


@dataclass(frozen=True)
class PosteriorOptions:
    r"""Where the variances of a trained model come from.

    Args:
        name (str, optional): :obj:`"laplace"` or :obj:`"variational"`.
            (default: :obj:`"laplace"`)
        prior (str or float, optional): The prior of a Laplace posterior; see
            :class:`~pyg_cagp.nn.posterior.LaplacePosterior`.
            (default: :obj:`"marginal"`)
        structure (str, optional): :obj:`"isotropic"` or :obj:`"diagonal"`.
            (default: :obj:`"isotropic"`)
        num_negatives (int, optional): How many candidates a query has in its
            curvature; all if set to 0. (default: :obj:`0`)
        num_draws (int, optional): Over how many draws from the variances of
            training the curvature is averaged; if set to 0, it is that at the
            means. (default: :obj:`0`)
    """

    name: str = "laplace"
    prior: str | float = "marginal"
    structure: str = "isotropic"
    num_negatives: int = 0
    num_draws: int = 0

    def __post_init__(self) -> None:
        check_choice("posterior.name", self.name, POSTERIORS)


@dataclass(frozen=True)
class Config:
    r"""Everything that decides what comes out of training but the graph and
    the seed.

    Args:
        model (dict): The name of a model, under :obj:`"name"`, and its
            arguments.
        objective (dict, optional): The name of an objective and its arguments.
        train (TrainOptions, optional): The options of the loop.
        posterior (PosteriorOptions, optional): Where variances come from.
    """

    model: dict[str, Any]
    objective: dict[str, Any] = field(default_factory=dict)
    train: TrainOptions = field(default_factory=TrainOptions)
    posterior: PosteriorOptions = field(default_factory=PosteriorOptions)

    @classmethod
    def from_dict(cls, sections: dict[str, Any], source: str) -> "Config":
        r"""Makes a config of plain sections.

        Args:
            sections (dict): Dictionaries under :obj:`"model"`,
                :obj:`"objective"`, :obj:`"train"` and :obj:`"posterior"`.
            source (str): Where they come from, for messages.
        """
        for name, section in sections.items():
            if name not in SECTIONS or not isinstance(section, dict):
                raise InvalidInputError(
                    f"{source}: there is no section '{name}'; there are "
                    f"{', '.join(SECTIONS)}"
                )
        if "name" not in sections.get("model", {}):
            raise InvalidInputError(f"{source}: section 'model' needs a 'name'")
        return cls(
            model=dict(sections["model"]),
            objective=dict(sections.get("objective", {})),
            train=_options(TrainOptions, sections, "train", source),
            posterior=_options(PosteriorOptions, sections, "posterior", source),
        )

    @classmethod
    def from_file(cls, path: str | Path) -> "Config":
        r"""Reads a config from a TOML file.

        Args:
            path (str or pathlib.Path): The file.
        """
        return cls.from_dict(_read(Path(path)), str(path))

    @classmethod
    def find(
        cls,
        dataset: str,
        model: str = DEFAULT_MODEL,
        preset: str | None = None,
    ) -> "Config":
        r"""Returns the config that ships for a model on a dataset. For a
        dataset without configs it warns and returns that of the generated
        graph.

        Args:
            dataset (str): The name of the dataset, in any case.
            model (str, optional): The name of the model.
                (default: :obj:`"gaussian-distmult"`)
            preset (str, optional): :obj:`"paper"` for the recipe of the paper,
                whatever the dataset. (default: :obj:`None`)
        """
        folder = resources.files("pyg_cagp.train") / "configs"
        if preset is not None:
            check_choice("preset", preset, ("paper",))
            sections = _read(folder / f"{preset}.toml")
            sections["model"]["name"] = model
            return cls.from_dict(sections, preset)
        shipped = {entry.name for entry in folder.iterdir() if entry.is_dir()}
        key = dataset_key(dataset)
        name = key if key in shipped else "synthetic"
        path = folder / name / f"{model}.toml"
        if not path.is_file():
            names = sorted(
                entry.name.removesuffix(".toml")
                for entry in (folder / "synthetic").iterdir()
            )
            check_choice("model", model, tuple(names))
        if name != key:
            warnings.warn(
                f"no config ships for '{dataset}', only for "
                f"{', '.join(sorted(shipped))}; the config of 'synthetic' is "
                f"used",
                CAGPWarning,
                stacklevel=2,
            )
        return cls.from_dict(_read(path), str(path))

    def override(self, changes: dict[str, Any]) -> "Config":
        r"""Returns a config with some values replaced.

        Args:
            changes (dict): New values by :obj:`"section.key"`.
        """
        sections = self.to_dict()
        for key, value in changes.items():
            section, _, name = key.partition(".")
            if section not in SECTIONS or not name:
                raise InvalidInputError(
                    f"'{key}' must be written as SECTION.KEY, with one of "
                    f"{', '.join(SECTIONS)} as section"
                )
            sections[section][name] = value
        return self.from_dict(sections, "the changed config")

    def to_dict(self) -> dict[str, Any]:
        r"""Returns the config as plain sections."""
        return dataclasses.asdict(self)


def _read(path: Any) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInputError(
            f"cannot read the config '{path}' ({error.strerror})"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"'{path}' is not TOML ({error})") from None


def _options(
    kind: Any, sections: dict[str, Any], name: str, source: str
) -> Any:
    given = sections.get(name, {})
    defaults = {entry.name: entry.default for entry in dataclasses.fields(kind)}
    check_options(given, defaults, f"{source}: section '{name}'")
    return kind(**given)


def check_options(
    given: dict[str, Any], defaults: dict[str, Any], owner: str
) -> None:
    r"""Checks that options exist and are of the kind of their defaults.

    Args:
        given (dict): The options by name.
        defaults (dict): All that there are, with their defaults.
        owner (str): What they are options of, for messages.
    """
    for key, value in given.items():
        if key not in defaults:
            raise InvalidInputError(
                f"{owner} has no option '{key}'; it has "
                f"{', '.join(sorted(defaults))}"
            )
        default = defaults[key]
        if not _is_like(value, default) and not (
            # A prior can be a number or the name of a way to find one.
            key == "prior" and _is_like(value, 1.0)
        ):
            raise InvalidInputError(
                f"{owner} takes '{key}' as something like {default!r} (got "
                f"{value!r})"
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
