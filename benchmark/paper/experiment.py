r"""One experiment: its computation and the identity of its result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmark.paper.artifacts import Artifacts
from benchmark.paper.setting import Setting
from benchmark.paper.stages import STAGES

#: The inputs that name the graph and the model.
OF_SETTING = ("name", "seed", "changes", "recipe")


@dataclass(frozen=True)
class Experiment:
    r"""A computation that writes one record.

    Args:
        name (str): Its name, :obj:`DATASET/KIND/...`, with the seed at the
            end if there is one.
        compute (callable): Takes a :class:`Setting` and options, and returns
            figures.
        inputs (dict): The setting and the options.
        stages (tuple): The stages that its result passed through, with those
            of the experiments it needs.
        config (str): A digest of the inputs but the seed and of the shipped
            configs, with those of the experiments it needs.
        needs (tuple, optional): The names of experiments that come first.
        stores (bool, optional): If set to :obj:`True`, it stores scores that
            others read. (default: :obj:`False`)
        alone (bool, optional): If set to :obj:`True`, nothing else may run at
            the same time. (default: :obj:`False`)
        large (bool, optional): If set to :obj:`True`, two such experiments
            never run at the same time, as each needs up to half of 24 GiB.
            (default: :obj:`False`)
    """

    name: str
    compute: Callable[..., dict[str, Any]]
    inputs: dict[str, Any]
    stages: tuple[str, ...]
    config: str
    needs: tuple[str, ...] = ()
    stores: bool = False
    alone: bool = False
    large: bool = False

    @property
    def dataset(self) -> str:
        r"""The dataset, the first part of the name."""
        return self.name.split("/")[0]

    @property
    def key(self) -> list[Any]:
        r"""The key of the scores that it stores."""
        return [self.config, self.inputs.get("seed")]

    def identity(self, data: str) -> dict[str, Any]:
        r"""Returns the identity of the result, without its name."""
        return {
            "config": self.config,
            "data": data,
            "seed": self.inputs.get("seed"),
            "stages": {name: STAGES[name].version for name in self.stages},
        }

    def run(self, artifacts: Artifacts) -> dict[str, Any]:
        r"""Computes the figures."""
        options = dict(self.inputs)
        of = {key: options.pop(key) for key in OF_SETTING if key in options}
        if self.stores:
            options["key"] = self.key
        return self.compute(Setting(artifacts, self.dataset, **of), **options)
