r"""The config of a training run: shipped, or read from a file."""

import dataclasses
import json
import tomllib
from dataclasses import KW_ONLY, dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pyg_cagp._utils.checks import check_choice
from pyg_cagp._utils.names import dataset_key
from pyg_cagp.data import as_kg
from pyg_cagp.exceptions import InvalidInputError
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
        source (str, optional): The origin of the config, which is no part of
            it. (default: :obj:`"given"`)
    """

    model: dict[str, Any]
    _: KW_ONLY
    objective: dict[str, Any] = field(default_factory=dict)
    train: TrainOptions = field(default_factory=TrainOptions)
    posterior: PosteriorOptions = field(default_factory=PosteriorOptions)
    source: str = field(default="given", compare=False, repr=False)

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
            source=source,
        )

    @classmethod
    def from_file(cls, path: str | Path) -> "Config":
        r"""Reads a config from a TOML file.

        Args:
            path (str or pathlib.Path): The file.
        """
        config = cls.from_dict(_read(Path(path)), str(path))
        return dataclasses.replace(config, source=f"the config in '{path}'")

    @classmethod
    def find(
        cls,
        dataset: str | None,
        model: ModelName = "gaussian-distmult",
        *,
        recipe: Recipe | None = None,
    ) -> "Config":
        r"""Returns the shipped config of a model on a dataset. For any other
        graph, see :meth:`for_graph`.

        Args:
            dataset (str, optional): The name of the dataset, in upper or lower
                case; may be :obj:`None` with a recipe.
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
            return cls.from_dict(sections, f"the recipe '{recipe}'")
        sections = _read(folder / f"{model}.toml")
        graphs = sections.pop("graphs")
        key = dataset_key(dataset or "")
        if key not in graphs:
            raise InvalidInputError(
                f"no config ships for '{dataset}', only for "
                f"{', '.join(sorted(graphs))}; use Config.for_graph(kg)"
            )
        for name, changes in graphs[key].items():
            sections[name] = sections.get(name, {}) | changes
        source = f"the shipped config of '{model}' for '{key}'"
        return cls.from_dict(sections, source)

    @classmethod
    def for_graph(
        cls,
        kg: Any,
        model: ModelName = "gaussian-distmult",
        *,
        memory: int | None = None,
    ) -> "Config":
        r"""Returns a config for any graph, by its sizes. Its :obj:`source`
        states the choices; the rules are in ``pyg_cagp/train/for_graph.py``.

        Args:
            kg (Data or Any): The graph; see :func:`~pyg_cagp.data.as_kg`.
            model (str, optional): The name of the model.
                (default: :obj:`"gaussian-distmult"`)
            memory (int, optional): The memory for training in bytes; by
                default, that which the machine has free.
                (default: :obj:`None`)

        Example:
            >>> from pyg_cagp.datasets import load
            >>> Config.for_graph(load("synthetic")).model["hidden_channels"]
            256
        """
        from pyg_cagp.train.for_graph import choose_sections

        check_choice("model", model, ModelName)
        return cls.from_dict(*choose_sections(as_kg(kg), model, memory))

    @classmethod
    def resolve(
        cls,
        kg: Any,
        model: ModelName = "gaussian-distmult",
        *,
        dataset: str | None = None,
        recipe: Recipe | None = None,
    ) -> "Config":
        r"""Returns the shipped config of a graph, and that of
        :meth:`for_graph` if none ships.

        Args:
            kg (Data or Any): The graph; see :func:`~pyg_cagp.data.as_kg`.
            model (str, optional): The name of the model.
                (default: :obj:`"gaussian-distmult"`)
            dataset (str, optional): The name of the graph; by default, its
                :obj:`name`. (default: :obj:`None`)
            recipe (str, optional): See :meth:`find`. (default: :obj:`None`)
        """
        check_choice("model", model, ModelName)
        kg = as_kg(kg)
        dataset = kg.get("name") if dataset is None else dataset
        if recipe is not None or dataset_key(dataset or "") in shipped(model):
            return cls.find(dataset, model, recipe=recipe)
        config = cls.for_graph(kg, model)
        name = "this graph" if dataset is None else f"'{dataset}'"
        source = f"no config ships for {name}; {config.source}"
        return dataclasses.replace(config, source=source)

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
        config = self.from_dict(sections, "the changed config")
        source = ", ".join(
            [self.source, *(f"{k}={changes[k]}" for k in changes)]
        )
        return dataclasses.replace(config, source=source)

    def to_dict(self) -> dict[str, Any]:
        r"""Returns the config as plain sections."""
        sections = dataclasses.asdict(self)
        return {name: sections[name] for name in SECTIONS}

    def to_toml(self) -> str:
        r"""Returns the config as TOML, which :meth:`from_file` reads."""
        return "\n".join(
            line
            for name, section in self.to_dict().items()
            for line in (
                f"[{name}]",
                # A text, a number, a truth value or a list of numbers is
                # written in TOML as in JSON.
                *(f"{key} = {json.dumps(v)}" for key, v in section.items()),
                "",
            )
        )


def shipped(model: ModelName) -> list[str]:
    r"""Returns the datasets for which a config of a model ships."""
    folder = resources.files("pyg_cagp.train") / "configs"
    return list(_read(folder / f"{model}.toml")["graphs"])


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
