r"""All cells of the grid, and which tables need which of them."""

from collections.abc import Callable
from typing import Any

from benchmark.paper.budget import BACKBONES, Budget
from benchmark.paper.cell import Cell
from benchmark.paper.cells import (
    confidences,
    cost,
    dated,
    detection,
    doubt,
    errors,
    frequencies,
    graphs,
    leak,
    mistakes,
    recipe,
    sweeps,
)
from benchmark.paper.rivals import OTHERS, OWN, RIVAL, RIVALS
from benchmark.paper.workshop import shipped_config

#: Judged on every graph: by protocol and partition.
PROTOCOLS = (
    ("temporal-like", "stated"),
    ("temporal-like", "inclusive"),
    ("temporal-like", "table2"),
    ("standard", "stated"),
    ("comprehensive", "stated"),
)
#: Where the partition of the paper's appendix is judged, too: on other graphs
#: it is the one that is stated, or that with the threshold included.
APPENDIX = ("fb15k-237", "yago3-10", "synthetic")
DATED = ("icews14", "synthetic")
VERIFIED = ("codex-s", "synthetic", "subsample")
#: Methods that hold numbers for each entity, relation and layer, and graphs
#: that have so many of both that this takes up to half of 24 GiB.
LARGE = ("gpn",)
LARGE_GRAPHS = ("fb15k-237", "yago-sample", "yago3-10")
#: Methods that are made of models of their own.
TRAINS = ("mc dropout", "ensemble")
#: Where a model is also trained as the paper trained it.
RECIPE = ("fb15k-237", "wn18rr", "synthetic")


class Grid:
    r"""The cells of a budget by their names, each after those it needs.

    Args:
        budget (Budget): What the grid is made of.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.cells: dict[str, Cell] = {}
        seeds = range(budget.seeds)
        for dataset in budget.datasets:
            self._of_graph(dataset)
        for dataset in budget.datasets:
            for seed in seeds:
                self._of_model(dataset, seed)
        for dataset in budget.datasets:
            for seed in seeds:
                self._of_rivals(dataset, seed)
        for name in budget.architectures:
            for seed in seeds:
                self._architecture(budget.datasets[0], name, seed)
        for dataset in budget.datasets:
            for seed in seeds if dataset in RECIPE else ():
                self._recipe(dataset, seed)
        if {"fb15k-237", "nl27k"} & set(budget.datasets):
            # One seed: training boxes on it takes longer than anything else.
            self._confidences("nl27k", 0)

    def _add(
        self,
        name: str,
        compute: Callable[..., dict[str, Any]],
        dataset: str,
        inputs: dict[str, Any] | None = None,
        needs: tuple[str, ...] = (),
        keeps: str | None = None,
        alone: bool = False,
        large: bool = False,
    ) -> str:
        inputs = inputs or {}
        config = self._config(dataset, inputs)
        self.cells[name] = Cell(
            name, compute, dataset, inputs, needs, keeps, alone, large, config
        )
        return name

    def _config(self, dataset: str, inputs: dict[str, Any]) -> dict[str, Any]:
        r"""The shipped configs that a cell hangs on."""
        model = inputs.get("model") or inputs.get("backbone")
        if model is None:
            return {}
        changes = inputs["changes"]
        if "trained_as" in inputs:
            config = recipe.preset_config(model, inputs["trained_as"], changes)
            return {"model": config.to_dict()}
        found = {"model": shipped_config(dataset, model, changes).to_dict()}
        if "rival" in inputs:
            changes = {**changes, **inputs["rival"]}
            found["rival"] = shipped_config(dataset, RIVAL, changes).to_dict()
        return found

    def _of_graph(self, dataset: str) -> None:
        self._add(f"{dataset}/graph", graphs.partitions, dataset)
        self._add(f"{dataset}/coverage-views", graphs.coverage_views, dataset)
        self._add(f"{dataset}/frequencies", frequencies.frequencies, dataset)
        if dataset in DATED:
            self._add(f"{dataset}/composition", dated.composition, dataset)

    def _of_model(self, dataset: str, seed: int) -> None:
        budget = self.budget
        of = self._judged(dataset, seed)
        trained = self._model(dataset, of["backbone"], seed)
        slow = [self._scores(dataset, m, seed, trained) for m in OWN]
        resamples = {"resamples": budget.resamples, "slow": list(OWN)}
        for protocol, preset in self._protocols(dataset):
            self._add(
                f"{dataset}/detection/{protocol}-{preset}/{seed}",
                detection.detection,
                dataset,
                {**of, **resamples, "protocol": protocol, "preset": preset},
                (trained, *slow),
            )
        self._add(
            f"{dataset}/errors/{seed}",
            errors.error_ranking,
            dataset,
            {**of, **resamples},
            (trained, *slow),
        )
        for name, compute in (
            ("conformal", errors.conformal),
            ("leak", leak.leak),
            ("tau", sweeps.tau),
            ("alpha", sweeps.alpha),
            ("mistakes", mistakes.mistakes),
        ):
            name = f"{dataset}/{name}/{seed}"
            self._add(name, compute, dataset, of, (trained,))
        if seed == 0:
            name = f"{dataset}/cost/{seed}"
            self._add(name, cost.cost, dataset, of, (trained,), alone=True)
        if dataset in DATED:
            more = {**of, "resamples": budget.resamples}
            name = f"{dataset}/timestamp/{seed}"
            self._add(name, dated.timestamp, dataset, more)
            self._add(f"{dataset}/arrival/{seed}", dated.arrival, dataset, of)

    def _of_rivals(self, dataset: str, seed: int) -> None:
        of = self._judged(dataset, seed)
        trained = f"{dataset}/models/{of['backbone']}/{seed}"
        slow = [
            self._scores(dataset, method, seed, trained)
            for method in RIVALS
            if method not in OWN
        ]
        more = {"resamples": self.budget.resamples, "slow": list(OTHERS)}
        for protocol, preset in self._protocols(dataset):
            self._add(
                f"{dataset}/rivals/{protocol}-{preset}/{seed}",
                detection.rivals,
                dataset,
                {**of, **more, "protocol": protocol, "preset": preset},
                (trained, *slow),
            )
        self._add(
            f"{dataset}/rival-errors/{seed}",
            errors.rival_errors,
            dataset,
            {**of, **more},
            (trained, *slow),
        )

    def _judged(self, dataset: str, seed: int) -> dict[str, Any]:
        r"""The model that is judged."""
        backbone = BACKBONES.get(dataset, "gaussian-distmult")
        changes = self.budget.changes
        return {"backbone": backbone, "seed": seed, "changes": changes}

    def _protocols(self, dataset: str) -> tuple[tuple[str, str], ...]:
        found = list(PROTOCOLS)
        if dataset in APPENDIX:
            found.append(("temporal-like", "appendix"))
        if dataset in VERIFIED:
            found.append(("verified-negatives", "stated"))
        return tuple(found)

    def _scores(
        self, dataset: str, method: str, seed: int, trained: str
    ) -> str:
        budget = self.budget
        factor = budget.rival_factors.get(method, 1)
        return self._add(
            f"{dataset}/scores/{doubt.slug(method)}/{seed}",
            doubt.scores,
            dataset,
            {
                **self._judged(dataset, seed),
                "method": method,
                "rival": self._rival(dataset, method),
                "triples": factor * budget.rival_triples,
                "members": budget.members,
            },
            (trained,),
            doubt.name_of(dataset, method, seed, budget.changes),
            large=method in LARGE and dataset in LARGE_GRAPHS,
        )

    def _rival(self, dataset: str, method: str) -> dict[str, Any]:
        r"""What is changed in the config of models that a method trains."""
        changes = self.budget.rival
        config = shipped_config(dataset, RIVAL, self.budget.changes)
        # Without variances of training, there is nothing to draw from.
        if method in TRAINS and config.posterior.num_draws:
            return {**changes, "posterior.num_draws": 0}
        return changes

    def _model(self, dataset: str, model: str, seed: int) -> str:
        return self._add(
            f"{dataset}/models/{model}/{seed}",
            doubt.model,
            dataset,
            {"model": model, "seed": seed, "changes": self.budget.changes},
        )

    def _architecture(self, dataset: str, model: str, seed: int) -> None:
        self._add(
            f"{dataset}/architectures/{model}/{seed}",
            sweeps.architecture,
            dataset,
            {
                "model": model,
                "seed": seed,
                "changes": {**self.budget.changes, **self.budget.architecture},
            },
        )

    def _recipe(self, dataset: str, seed: int) -> None:
        self._add(
            f"{dataset}/recipe/{seed}",
            recipe.recipe,
            dataset,
            {
                "model": "gaussian-distmult",
                "seed": seed,
                "changes": self.budget.changes,
                "trained_as": "paper",
            },
        )

    def _confidences(self, dataset: str, seed: int) -> None:
        self._add(
            f"{dataset}/confidences/{seed}",
            confidences.confidences,
            dataset,
            {
                **self._judged(dataset, seed),
                "triples": 3 * self.budget.rival_triples,
            },
        )

    def chosen(self, wanted: Callable[[str], bool]) -> list[Cell]:
        r"""Returns the cells that are wanted, with all they need, in order.

        Args:
            wanted (callable): Tells by its name whether a cell is wanted.
        """
        names: dict[str, None] = {}

        def visit(name: str) -> None:
            for needed in self.cells[name].needs:
                visit(needed)
            names[name] = None

        for name in self.cells:
            if wanted(name):
                visit(name)
        return [self.cells[name] for name in names]
