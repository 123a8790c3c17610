r"""All experiments of a budget, each after those it needs."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from benchmark.paper.artifacts import paper_config
from benchmark.paper.baselines import BASELINE, BASELINES, OTHERS, OWN
from benchmark.paper.budget import BACKBONES, Budget
from benchmark.paper.experiment import Experiment
from benchmark.paper.experiments import (
    confidences,
    cost,
    dated,
    detection,
    error_analysis,
    errors,
    frequencies,
    graphs,
    leak,
    models,
    recipe,
    sweeps,
)
from benchmark.paper.stages import STAGES
from benchmark.paper.store import digest
from pyg_cagp.train import Config

#: The protocols and partitions, and the graphs of those that are not of all.
#: The partition of the paper's appendix is another one on FB15k-237 alone.
PROTOCOLS: dict[tuple[str, str], tuple[str, ...] | None] = {
    ("temporal-like", "stated"): None,
    ("temporal-like", "inclusive"): None,
    ("temporal-like", "table2"): None,
    ("standard", "stated"): None,
    ("comprehensive", "stated"): None,
    ("temporal-like", "appendix"): ("fb15k-237", "yago3-10", "golden"),
    ("verified-negatives", "stated"): ("codex-s", "golden"),
}
DATED = ("icews14", "golden")
#: Graphs on which a model is also trained by the recipe of the paper.
RECIPE = ("fb15k-237", "wn18rr", "golden")
#: Graphs with so many entities and relations that a method that holds numbers
#: for each pair of them takes up to half of 24 GiB.
LARGE = [("gpn", name) for name in ("fb15k-237", "yago-sample", "yago3-10")]
#: Baselines that train several models or a changed one.
TRAINS = ("mc dropout", "ensemble")

ALL = tuple(STAGES)
COUNTED = ("data", "labels")
MODEL = ("data", "model", "posterior")


class Grid:
    r"""The experiments of a budget by their names.

    Args:
        budget (Budget): The datasets, seeds and sizes.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.experiments: dict[str, Experiment] = {}
        first, *_ = budget.datasets
        runs = [(d, s) for d in budget.datasets for s in range(budget.seeds)]
        for dataset in budget.datasets:
            self._of_graph(dataset)
        for dataset, seed in runs:
            self._of_model(dataset, seed)
        for dataset, seed in runs:
            self._of_baselines(dataset, seed)
        changes = budget.changes
        for name in budget.architectures:
            for seed in range(budget.seeds):
                of = {"name": name, "seed": seed}
                of["changes"] = {**changes, **budget.architecture}
                kind = f"{first}/architectures/{name}/{seed}"
                self._add(kind, sweeps.architecture, of)
        for dataset, seed in runs:
            if dataset in RECIPE:
                of = {"name": "gaussian-distmult", "seed": seed}
                of |= {"changes": changes, "recipe": "paper"}
                self._add(f"{dataset}/recipe/{seed}", recipe.recipe, of)
        for name, switch in budget.switches.items():
            of = {"name": switch["model"], "seed": 0}
            of["changes"] = switch["changes"]
            self._add(f"{first}/models/{name}", models.model, of)
        if {"fb15k-237", "nl27k", "golden"} & set(budget.datasets):
            # One seed: training boxes on it takes longer than anything else.
            dataset = budget.confidences
            of = self._evaluated(dataset, 0)
            self._add(
                f"{dataset}/confidences/0",
                confidences.confidences,
                {**of, "triples": 3 * budget.baseline_triples},
                (*MODEL, "scores", "metrics"),
            )

    def _of_graph(self, dataset: str) -> None:
        for name, compute, stages in (
            ("graph", graphs.partitions, (*COUNTED, "metrics")),
            (
                "coverage-views",
                graphs.coverage_views,
                (*COUNTED, "scores", "metrics"),
            ),
            ("frequencies", frequencies.frequencies, COUNTED),
        ):
            self._add(f"{dataset}/{name}", compute, None, stages)
        if dataset in DATED:
            stages = (*COUNTED, "scores", "metrics")
            name = f"{dataset}/composition"
            self._add(name, dated.composition, None, stages)

    def _of_model(self, dataset: str, seed: int) -> None:
        of = self._evaluated(dataset, seed)
        trained = self._add(
            f"{dataset}/models/{of['name']}/{seed}", models.model, of
        )
        slow = self._compared(dataset, seed, OWN, OWN)
        self._detection(dataset, seed, detection.detection, of, slow)
        needs = (trained, *self._stored(dataset, seed, OWN))
        self._add(
            f"{dataset}/errors/{seed}",
            errors.error_ranking,
            {**of, **slow},
            needs=needs,
        )
        for name, compute in (
            ("conformal", errors.conformal),
            ("leak", leak.leak),
            ("tau", sweeps.tau),
            ("alpha", sweeps.alpha),
            ("error-analysis", error_analysis.error_analysis),
        ):
            self._add(f"{dataset}/{name}/{seed}", compute, of, needs=(trained,))
        if seed == 0:
            name = f"{dataset}/cost/{seed}"
            self._add(name, cost.cost, of, needs=(trained,), alone=True)
        if dataset in DATED:
            more = {**of, "resamples": self.budget.resamples}
            self._add(f"{dataset}/timestamp/{seed}", dated.timestamp, more)
            self._add(f"{dataset}/arrival/{seed}", dated.arrival, of)

    def _of_baselines(self, dataset: str, seed: int) -> None:
        of = self._evaluated(dataset, seed)
        methods = [name for name in BASELINES if name not in OWN]
        slow = self._compared(dataset, seed, OTHERS, methods)
        self._detection(dataset, seed, detection.baselines, of, slow)
        trained = f"{dataset}/models/{of['name']}/{seed}"
        self._add(
            f"{dataset}/baseline-errors/{seed}",
            errors.baseline_errors,
            {**of, **slow},
            needs=(trained, *self._stored(dataset, seed, methods)),
        )

    def _compared(
        self,
        dataset: str,
        seed: int,
        methods: Iterable[str],
        stored: Iterable[str],
    ) -> dict[str, Any]:
        r"""The slow methods that are compared, and where their scores are."""
        for method in stored:
            self._scores(dataset, method, seed)
        names = self._stored(dataset, seed, stored)
        experiments = [self.experiments[name] for name in names]
        return {
            "resamples": self.budget.resamples,
            "slow": list(methods),
            "scores": {e.inputs["method"]: e.config for e in experiments},
        }

    def _detection(
        self,
        dataset: str,
        seed: int,
        compute: Callable[..., dict[str, Any]],
        of: dict[str, Any],
        slow: dict[str, Any],
    ) -> None:
        r"""Adds one experiment for each protocol."""
        needs = (
            f"{dataset}/models/{of['name']}/{seed}",
            *self._stored(dataset, seed, slow["scores"]),
        )
        for (protocol, preset), graphs_of in PROTOCOLS.items():
            if graphs_of is None or dataset in graphs_of:
                setting = f"{protocol}-{preset}"
                self._add(
                    f"{dataset}/{compute.__name__}/{setting}/{seed}",
                    compute,
                    {**of, **slow, "protocol": protocol, "preset": preset},
                    needs=needs,
                )

    def _scores(self, dataset: str, method: str, seed: int) -> None:
        budget, of = self.budget, self._evaluated(dataset, seed)
        changes = budget.baseline
        config = paper_config(dataset, BASELINE, budget.changes)
        # Without variances of training, there is nothing to draw from.
        if method in TRAINS and config.posterior.num_draws:
            changes = {**changes, "posterior.num_draws": 0}
        factor = budget.baseline_factors.get(method, 1)
        (name,) = self._stored(dataset, seed, [method])
        self._add(
            name,
            models.scores,
            {
                **of,
                "method": method,
                "baseline": changes,
                "triples": factor * budget.baseline_triples,
                "members": budget.members,
            },
            needs=(f"{dataset}/models/{of['name']}/{seed}",),
            stores=True,
            large=(method, dataset) in LARGE,
        )

    def _stored(
        self, dataset: str, seed: int, methods: Iterable[str]
    ) -> list[str]:
        r"""Returns the names of the experiments that store scores."""
        return [
            f"{dataset}/scores/{method.replace(' ', '-')}/{seed}"
            for method in methods
        ]

    def _evaluated(self, dataset: str, seed: int) -> dict[str, Any]:
        r"""The model that is evaluated."""
        name = BACKBONES.get(dataset, "gaussian-distmult")
        return {"name": name, "seed": seed, "changes": self.budget.changes}

    def _add(
        self,
        name: str,
        compute: Callable[..., dict[str, Any]],
        inputs: dict[str, Any] | None = None,
        stages: tuple[str, ...] = ALL,
        needs: tuple[str, ...] = (),
        **options: bool,
    ) -> str:
        inputs = inputs or {}
        needed = [self.experiments[n] for n in needs]
        through = {s for e in needed for s in e.stages} | set(stages)
        content = [
            {key: value for key, value in inputs.items() if key != "seed"},
            _configs(name.split("/")[0], inputs),
            [e.config for e in needed],
        ]
        self.experiments[name] = Experiment(
            name,
            compute,
            inputs,
            tuple(stage for stage in STAGES if stage in through),
            digest(content),
            needs,
            **options,
        )
        return name

    def chosen(self, wanted: Callable[[str], bool]) -> list[Experiment]:
        r"""Returns the experiments that are wanted, with all they need."""
        names = {name for name in self.experiments if wanted(name)}
        for name, experiment in reversed(self.experiments.items()):
            if name in names:
                names.update(experiment.needs)
        return [e for name, e in self.experiments.items() if name in names]


def _configs(dataset: str, inputs: dict[str, Any]) -> Any:
    r"""Returns the configs that an experiment reads."""
    if "name" not in inputs:
        return None
    name, changes = inputs["name"], inputs["changes"]
    recipe = inputs.get("recipe")
    configs = [paper_config(dataset, name, changes, recipe)]
    if "baseline" in inputs:
        changes = {**changes, **inputs["baseline"]}
        configs.append(paper_config(dataset, BASELINE, changes))
    return [_given(config) for config in configs]


def _given(config: Config) -> dict[str, Any]:
    r"""Returns a config without options that have their defaults, so that an
    option that is added later changes no digest.
    """
    options = {"model": config.model, "objective": config.objective}
    for name in ("train", "posterior"):
        section = getattr(config, name)
        options[name] = {
            entry.name: value
            for entry in fields(section)
            if (value := getattr(section, entry.name)) != entry.default
        }
    return options
