r"""Claims about the assumptions of the theorems."""

from benchmark.paper import published
from benchmark.paper.tables.common import ASSUMPTIONS, PLACES, models_of
from benchmark.paper.tables.detection import DATASETS
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Spread
from benchmark.paper.tables.verdicts.rules import (
    BY_CONSTRUCTION,
    FAILS,
    HOLDS,
    MISSING,
    Claim,
    by_recipe,
    near_chance,
    not_above,
    not_below,
    same,
)

TITLES = {
    "A1 Spearman": "A1: rank correlation of frequency and variance",
    "A2 coverage of ID": "A2: share of ID triples with full coverage",
    "A5 rho": "A5: share rho of emerging triples with full coverage",
    "A6 semantic on emerging": "A6: U_sem on emerging entities",
    "semantic on novel": "U_sem on novel contexts is near chance, as theorems "
    "1 and 2 (i) are read",
    "structural on novel": "theorem 2 (iii): U_str on novel contexts",
}
#: What does not hang on variances.
OF_THE_GRAPH = ("A2 coverage of ID", "A5 rho", "structural on novel")
#: What is as it is because of how the partition is made.
DEFINED = {
    "A2 coverage of ID": "it is how ID is defined",
    "structural on novel": "missing coverage defines them",
}


def assumptions(records: Records) -> list[Claim]:
    r"""A1, A2, A4, A5, A6 and what they lead to, on the paper's graphs; and
    what a theorem says of any graph, on the others.
    """
    rows: list[Claim] = []
    for dataset in sorted(
        records.datasets(DATASETS), key=lambda name: name not in PLACES
    ):
        cell = models_of(records, dataset)
        if cell is None:
            continue
        place = PLACES.get(dataset)
        for name, path in ASSUMPTIONS.items():
            if place is None and name != "semantic on novel":
                continue
            where = ("presets", "appendix", *path)
            ours = records.spread(cell, *where, digits=3)
            recipe = None
            if name not in OF_THE_GRAPH:
                recipe = records.spread(
                    f"{dataset}/recipe", "model", *where, digits=3
                )
            paper = None
            if place is not None:
                paper = published.ASSUMPTIONS[name][place]
            rows.append(
                Claim(
                    f"{_title(name, paper)}, {dataset}",
                    paper,
                    ours,
                    recipe,
                    _verdict(name, ours, recipe, paper),
                    "assumptions",
                )
            )
    return rows


def _title(name: str, paper: float | None) -> str:
    if name != "A4 delta" or paper is None:
        return TITLES[name]
    side = "holds: largest gap of U_sem is below 1"
    if paper >= 1:
        side = "is violated: largest gap of U_sem is not below 1"
    return f"A4 {side}"


def _verdict(
    name: str,
    ours: Spread | None,
    recipe: Spread | None,
    paper: float | None,
) -> str:
    if name == "semantic on novel":
        return by_recipe(near_chance, ours, recipe)
    if ours is None or paper is None:
        return MISSING
    if name in OF_THE_GRAPH:
        verdict = same(ours, paper)
        if name in DEFINED and verdict == HOLDS:
            return f"{BY_CONSTRUCTION}: {DEFINED[name]}"
        return verdict
    if name == "A4 delta":

        def agrees(found: Spread | None) -> str:
            assert found is not None
            here = "satisfied" if found.mean < 1 else "violated"
            if (found.mean < 1) == (paper < 1):
                return HOLDS
            return f"{FAILS}: {here} here"

        return by_recipe(agrees, ours, recipe)
    rule = not_above if name == "A1 Spearman" else not_below
    return by_recipe(lambda found: rule(found, paper), ours, recipe)
