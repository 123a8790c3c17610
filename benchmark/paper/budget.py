r"""Budgets of experiments: the full grid, and a small one."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
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
        datasets (list): The graphs.
        confidences (str): The graph with confidences.
        seeds (int): The number of seeds.
        baseline_triples (int): How many training triples a baseline that
            trains itself sees, repeats counted.
        baseline_factors (dict): How many times as many some of them see, as
            they learn more slowly or cost less.
        members (int): The number of members of an ensemble.
        resamples (int): The number of resamples of a bootstrap.
        architectures (list): The models that are compared with each other.
        changes (dict): Options that differ from the configs.
        baseline (dict): Options that differ for models that are trained only
            as part of a baseline.
        architecture (dict): Options that differ in the configs of
            :obj:`architectures`.
        switches (dict): Further models by name, each with the
            options that differ from its config.
    """

    datasets: list[str]
    confidences: str
    seeds: int
    baseline_triples: int
    baseline_factors: dict[str, int]
    members: int
    resamples: int
    architectures: list[str]
    changes: dict[str, Any] = field(default_factory=dict)
    baseline: dict[str, Any] = field(default_factory=dict)
    architecture: dict[str, Any] = field(default_factory=dict)
    switches: dict[str, dict[str, Any]] = field(default_factory=dict)


_BUDGETS = tomllib.loads(
    Path(__file__).with_name("budgets.toml").read_text(encoding="utf-8")
)
FULL, GOLDEN = (Budget(**_BUDGETS[name]) for name in ("full", "golden"))
