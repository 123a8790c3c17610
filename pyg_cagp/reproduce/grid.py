r"""All cells of the grid, and which tables need which of them."""

from collections.abc import Callable
from typing import Any

from pyg_cagp.reproduce.budget import BACKBONES, Budget
from pyg_cagp.reproduce.cell import Cell
from pyg_cagp.reproduce.cells import (
    confidences,
    cost,
    dated,
    detection,
    doubt,
    errors,
    graphs,
    leak,
    mistakes,
    sweeps,
)
from pyg_cagp.reproduce.rivals import RIVALS, SLOW

#: Judged on every graph: by protocol and partition.
PROTOCOLS = (
    ("temporal-like", "stated"),
    ("temporal-like", "inclusive"),
    ("temporal-like", "table2"),
    ("standard", "stated"),
    ("comprehensive", "stated"),
)
DATED = ("icews14", "synthetic")
VERIFIED = ("codex-s", "synthetic", "subsample")
CONFIDENT = ("nl27k",)


class Grid:
    r"""The cells of a budget by their names, each after those it needs.

    Args:
        budget (Budget): What the grid is made of.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.cells: dict[str, Cell] = {}
        for dataset in budget.datasets:
            self._of_graph(dataset)
            for seed in range(budget.seeds):
                self._of_model(dataset, seed)
        for name in budget.architectures:
            for seed in range(budget.seeds):
                self._architecture(budget.datasets[0], name, seed)
        if "fb15k-237" in budget.datasets:
            for seed in range(budget.seeds):
                self._confidences("nl27k", seed)

    def _add(
        self,
        name: str,
        compute: Callable[..., dict[str, Any]],
        dataset: str,
        inputs: dict[str, Any] | None = None,
        needs: tuple[str, ...] = (),
        keeps: str | None = None,
        alone: bool = False,
    ) -> str:
        cell = Cell(name, compute, dataset, inputs or {}, needs, keeps, alone)
        self.cells[name] = cell
        return name

    def _of_graph(self, dataset: str) -> None:
        self._add(f"{dataset}/graph", graphs.partitions, dataset)
        self._add(f"{dataset}/coverage-views", graphs.coverage_views, dataset)
        if dataset in DATED:
            self._add(f"{dataset}/composition", dated.composition, dataset)

    def backbone(self, dataset: str) -> str:
        r"""Returns the model whose doubt is judged on a graph."""
        return BACKBONES.get(dataset, "gaussian-distmult")

    def _of_model(self, dataset: str, seed: int) -> None:
        budget, backbone = self.budget, self.backbone(dataset)
        of = {"backbone": backbone, "seed": seed, "changes": budget.changes}
        trained = self._model(dataset, backbone, seed)
        slow = [
            self._add(
                f"{dataset}/scores/{doubt.slug(method)}/{seed}",
                doubt.scores,
                dataset,
                {
                    **of,
                    "method": method,
                    "rival": budget.rival,
                    "triples": budget.rival_triples,
                    "members": budget.members,
                },
                (trained,),
                doubt.name_of(dataset, method, seed),
            )
            for method in RIVALS
        ]
        all_methods = {**of, "slow": list(SLOW)}
        protocols: tuple[tuple[str, str], ...] = PROTOCOLS
        if dataset in VERIFIED:
            protocols = (*protocols, ("verified-negatives", "stated"))
        for protocol, preset in protocols:
            self._add(
                f"{dataset}/detection/{protocol}-{preset}/{seed}",
                detection.detection,
                dataset,
                {
                    **all_methods,
                    "protocol": protocol,
                    "preset": preset,
                    "resamples": budget.resamples,
                    # Seeds are not independent graphs: one is compared.
                    "compare_with": "cagp" if seed == 0 else None,
                },
                (trained, *slow),
            )
        self._add(
            f"{dataset}/errors/{seed}",
            errors.error_ranking,
            dataset,
            {**all_methods, "resamples": budget.resamples},
            (trained, *slow),
        )
        for name, compute in (
            ("conformal", errors.conformal),
            ("leak", leak.leak),
            ("tau", sweeps.tau),
            ("alpha", sweeps.alpha),
            ("mistakes", mistakes.mistakes),
        ):
            self._add(
                f"{dataset}/{name}/{seed}",
                compute,
                dataset,
                of,
                (trained,),
            )
        if seed == 0:
            self._add(
                f"{dataset}/cost/{seed}",
                cost.cost,
                dataset,
                of,
                (trained,),
                alone=True,
            )
        if dataset in DATED:
            self._add(
                f"{dataset}/timestamp/{seed}",
                dated.timestamp,
                dataset,
                {**of, "resamples": budget.resamples},
            )
            self._add(f"{dataset}/arrival/{seed}", dated.arrival, dataset, of)

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

    def _confidences(self, dataset: str, seed: int) -> None:
        self._add(
            f"{dataset}/confidences/{seed}",
            confidences.confidences,
            dataset,
            {
                "backbone": self.backbone(dataset),
                "seed": seed,
                "changes": self.budget.changes,
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
