r"""All experiments of a budget, each after those it needs."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from benchmark.paper.artifacts import shipped_config
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

#: The protocols and partitions of every graph.
PROTOCOLS = (
    ("temporal-like", "stated"),
    ("temporal-like", "inclusive"),
    ("temporal-like", "table2"),
    ("standard", "stated"),
    ("comprehensive", "stated"),
)
#: Graphs with the partition of the paper's appendix as well: on others it is
#: the one that is stated, or that with the threshold included.
APPENDIX = ("fb15k-237", "yago3-10", "golden")
DATED = ("icews14", "golden")
VERIFIED = ("codex-s", "golden")
#: Methods that hold numbers for each entity, relation and layer, and graphs
#: that have so many of both that this takes up to half of 24 GiB.
LARGE = ("gpn",)
LARGE_GRAPHS = ("fb15k-237", "yago-sample", "yago3-10")
#: Methods that are made of models of their own.
TRAINS = ("mc dropout", "ensemble")
#: Graphs on which a model is also trained by the recipe of the paper.
RECIPE = ("fb15k-237", "wn18rr", "golden")

ALL = tuple(STAGES)
MODEL = ("data", "model", "posterior")


class Grid:
    r"""The experiments of a budget by their names.

    Args:
        budget (Budget): What the grid is made of.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.experiments: dict[str, Experiment] = {}
        seeds = range(budget.seeds)
        for dataset in budget.datasets:
            self._of_graph(dataset)
        for dataset in budget.datasets:
            for seed in seeds:
                self._of_model(dataset, seed)
        for dataset in budget.datasets:
            for seed in seeds:
                self._of_baselines(dataset, seed)
        for name in budget.architectures:
            for seed in seeds:
                self._architecture(budget.datasets[0], name, seed)
        for dataset in budget.datasets:
            for seed in seeds if dataset in RECIPE else ():
                self._recipe(dataset, seed)
        for name, (model, changes) in budget.switches.items():
            of = {"name": model, "seed": 0, "changes": changes}
            self._add(f"{budget.datasets[0]}/models/{name}", models.model, of)
        if {"fb15k-237", "nl27k", "golden"} & set(budget.datasets):
            # One seed: training boxes on it takes longer than anything else.
            self._confidences(budget.confidences, 0)

    def _add(
        self,
        name: str,
        compute: Callable[..., dict[str, Any]],
        inputs: dict[str, Any] | None = None,
        stages: tuple[str, ...] = ALL,
        needs: tuple[str, ...] = (),
        **options: Any,
    ) -> str:
        inputs = inputs or {}
        needed = [self.experiments[n] for n in needs]
        through = {s for e in needed for s in e.stages} | set(stages)
        dataset = name.split("/")[0]
        content = [
            {key: value for key, value in inputs.items() if key != "seed"},
            self._configs(dataset, inputs),
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

    def _configs(self, dataset: str, inputs: dict[str, Any]) -> Any:
        r"""The shipped configs that an experiment reads."""
        if "name" not in inputs:
            return None
        name, changes = inputs["name"], inputs["changes"]
        recipe = inputs.get("recipe")
        configs = [_given(shipped_config(dataset, name, changes, recipe))]
        if "baseline" in inputs:
            changes = {**changes, **inputs["baseline"]}
            configs.append(_given(shipped_config(dataset, BASELINE, changes)))
        return configs

    def _of_graph(self, dataset: str) -> None:
        counted = ("data", "labels")
        measured = (*counted, "metrics")
        scored = (*measured, "scores")
        for name, compute, stages in (
            ("graph", graphs.partitions, measured),
            ("coverage-views", graphs.coverage_views, scored),
            ("frequencies", frequencies.frequencies, counted),
        ):
            self._add(f"{dataset}/{name}", compute, stages=stages)
        if dataset in DATED:
            name = f"{dataset}/composition"
            self._add(name, dated.composition, stages=scored)

    def _of_model(self, dataset: str, seed: int) -> None:
        budget, of = self.budget, self._evaluated(dataset, seed)
        backbone = of["name"]
        trained = self._add(
            f"{dataset}/models/{backbone}/{seed}",
            models.model,
            of,
        )
        slow = [self._scores(dataset, m, seed, trained) for m in OWN]
        self._compare(
            dataset, seed, detection.detection, "detection", OWN, trained, slow
        )
        self._add(
            f"{dataset}/errors/{seed}",
            errors.error_ranking,
            {**of, **self._slow(OWN, slow)},
            needs=(trained, *slow),
        )
        for name, compute in (
            ("conformal", errors.conformal),
            ("leak", leak.leak),
            ("tau", sweeps.tau),
            ("alpha", sweeps.alpha),
            ("error-analysis", error_analysis.error_analysis),
        ):
            name = f"{dataset}/{name}/{seed}"
            self._add(name, compute, of, needs=(trained,))
        if seed == 0:
            name = f"{dataset}/cost/{seed}"
            self._add(name, cost.cost, of, needs=(trained,), alone=True)
        if dataset in DATED:
            more = {**of, "resamples": budget.resamples}
            self._add(f"{dataset}/timestamp/{seed}", dated.timestamp, more)
            self._add(f"{dataset}/arrival/{seed}", dated.arrival, of)

    def _of_baselines(self, dataset: str, seed: int) -> None:
        of = self._evaluated(dataset, seed)
        trained = f"{dataset}/models/{of['name']}/{seed}"
        slow = [
            self._scores(dataset, method, seed, trained)
            for method in BASELINES
            if method not in OWN
        ]
        self._compare(
            dataset,
            seed,
            detection.baselines,
            "baselines",
            OTHERS,
            trained,
            slow,
        )
        self._add(
            f"{dataset}/baseline-errors/{seed}",
            errors.baseline_errors,
            {**of, **self._slow(OTHERS, slow)},
            needs=(trained, *slow),
        )

    def _compare(
        self,
        dataset: str,
        seed: int,
        compute: Callable[..., dict[str, Any]],
        kind: str,
        methods: Iterable[str],
        trained: str,
        slow: list[str],
    ) -> None:
        r"""Adds one experiment for each protocol."""
        protocols = list(PROTOCOLS)
        if dataset in APPENDIX:
            protocols.append(("temporal-like", "appendix"))
        if dataset in VERIFIED:
            protocols.append(("verified-negatives", "stated"))
        for protocol, preset in protocols:
            inputs = {
                **self._evaluated(dataset, seed),
                **self._slow(methods, slow),
                "protocol": protocol,
                "preset": preset,
            }
            name = f"{dataset}/{kind}/{protocol}-{preset}/{seed}"
            self._add(name, compute, inputs, needs=(trained, *slow))

    def _slow(
        self, methods: Iterable[str], scores: list[str]
    ) -> dict[str, Any]:
        r"""The slow methods that are compared, and where their scores are."""
        stored = [self.experiments[name] for name in scores]
        return {
            "resamples": self.budget.resamples,
            "slow": list(methods),
            "scores": {e.inputs["method"]: e.config for e in stored},
        }

    def _evaluated(self, dataset: str, seed: int) -> dict[str, Any]:
        r"""The model that is evaluated."""
        backbone = BACKBONES.get(dataset, "gaussian-distmult")
        changes = self.budget.changes
        return {"name": backbone, "seed": seed, "changes": changes}

    def _scores(
        self, dataset: str, method: str, seed: int, trained: str
    ) -> str:
        budget = self.budget
        factor = budget.baseline_factors.get(method, 1)
        return self._add(
            f"{dataset}/scores/{method.replace(' ', '-')}/{seed}",
            models.scores,
            {
                **self._evaluated(dataset, seed),
                "method": method,
                "baseline": self._baseline(dataset, method),
                "triples": factor * budget.baseline_triples,
                "members": budget.members,
            },
            needs=(trained,),
            stores=True,
            large=method in LARGE and dataset in LARGE_GRAPHS,
        )

    def _baseline(self, dataset: str, method: str) -> dict[str, Any]:
        r"""Options of models that a method trains."""
        changes = self.budget.baseline
        config = shipped_config(dataset, BASELINE, self.budget.changes)
        # Without variances of training, there is nothing to draw from.
        if method in TRAINS and config.posterior.num_draws:
            return {**changes, "posterior.num_draws": 0}
        return changes

    def _architecture(self, dataset: str, model: str, seed: int) -> None:
        changes = {**self.budget.changes, **self.budget.architecture}
        self._add(
            f"{dataset}/architectures/{model}/{seed}",
            sweeps.architecture,
            {"name": model, "seed": seed, "changes": changes},
        )

    def _recipe(self, dataset: str, seed: int) -> None:
        self._add(
            f"{dataset}/recipe/{seed}",
            recipe.recipe,
            {
                "name": "gaussian-distmult",
                "seed": seed,
                "changes": self.budget.changes,
                "recipe": "paper",
            },
        )

    def _confidences(self, dataset: str, seed: int) -> None:
        self._add(
            f"{dataset}/confidences/{seed}",
            confidences.confidences,
            {
                **self._evaluated(dataset, seed),
                "triples": 3 * self.budget.baseline_triples,
            },
            stages=(*MODEL, "scores", "metrics"),
        )

    def chosen(self, wanted: Callable[[str], bool]) -> list[Experiment]:
        r"""Returns the experiments that are wanted, with all they need.

        Args:
            wanted (callable): Returns by its name whether one is wanted.
        """
        names: dict[str, None] = {}

        def visit(name: str) -> None:
            for needed in self.experiments[name].needs:
                visit(needed)
            names[name] = None

        for name in self.experiments:
            if wanted(name):
                visit(name)
        return [self.experiments[name] for name in names]


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
