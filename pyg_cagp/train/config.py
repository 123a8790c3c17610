r"""The config of a training run: shipped, or read from a file."""

import dataclasses
import tomllib
import warnings
from dataclasses import KW_ONLY, dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pyg_cagp._utils.checks import check_choice
from pyg_cagp._utils.names import dataset_key
from pyg_cagp.exceptions import CAGPWarning, InvalidInputError
from pyg_cagp.train.options import PosteriorOptions, TrainOptions, check_options
from pyg_cagp.typing import ModelName, Recipe

SECTIONS = ("model", "objective", "train", "posterior")


@dataclass(frozen=True)
class Config:
    r"""All options that determine the result of training on a graph with a
    seed.

    Args:
        model (dict): The :obj:`"name"` of a model, and its arguments.
        objective (dict, optional): The name of an objective and its arguments.
        train (TrainOptions, optional): The options of the loop.
        posterior (PosteriorOptions, optional): The options of the posterior.
    """

    model: dict[str, Any]
    _: KW_ONLY
    objective: dict[str, Any] = field(default_factory=dict)
    train: TrainOptions = field(default_factory=TrainOptions)
    posterior: PosteriorOptions = field(default_factory=PosteriorOptions)

    @classmethod
    def from_dict(cls, sections: dict[str, Any], source: str) -> "Config":
        r"""Makes a config from plain sections.

        Args:
            sections (dict): Dictionaries under :obj:`"model"`,
                :obj:`"objective"`, :obj:`"train"` and :obj:`"posterior"`.
            source (str): Their origin, for messages.
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
        dataset: str | None,
        model: ModelName = "gaussian-distmult",
        *,
        recipe: Recipe | None = None,
    ) -> "Config":
        r"""Returns the shipped config of a model on a dataset. Any other graph
        gets the config of :obj:`"synthetic"`, with a warning if it has a name.

        Args:
            dataset (str, optional): The name of the dataset, in upper or lower
                case; :obj:`None` for a graph without a name.
            model (str, optional): The name of the model.
                (default: :obj:`"gaussian-distmult"`)
            recipe (str, optional): :obj:`"paper"` for the recipe of the paper,
                which is the same for all datasets. (default: :obj:`None`)

        Example:
            >>> Config.find("fb15k-237", "kg2e", recipe="paper").train.epochs
            50
        """
        check_choice("model", model, ModelName)
        folder = resources.files("pyg_cagp.train") / "configs"
        if recipe is not None:
            check_choice("recipe", recipe, Recipe)
            sections = _read(folder / f"{recipe}.toml")
            sections["model"]["name"] = model
            return cls.from_dict(sections, source=recipe)
        sections = _read(folder / f"{model}.toml")
        graphs = sections.pop("graphs")
        key = "synthetic" if dataset is None else dataset_key(dataset)
        if key not in graphs:
            warnings.warn(
                f"no config ships for '{dataset}', only for "
                f"{', '.join(sorted(graphs))}; the config of 'synthetic' is "
                f"used",
                CAGPWarning,
                stacklevel=2,
            )
            key = "synthetic"
        for name, changes in graphs[key].items():
            sections[name] = sections.get(name, {}) | changes
        return cls.from_dict(sections, f"the config of '{model}' for '{key}'")

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


def _read(path: Traversable) -> dict[str, Any]:
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
    values = sections.get(name, {})
    defaults = {entry.name: entry.default for entry in dataclasses.fields(kind)}
    check_options(values, defaults, f"{source}: section '{name}'")
    return kind(**values)
