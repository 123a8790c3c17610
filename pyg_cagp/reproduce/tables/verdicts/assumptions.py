r"""Claims about the assumptions of the theorems."""

from pyg_cagp.reproduce import published
from pyg_cagp.reproduce.tables.common import appendix_of, models_of
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Spread
from pyg_cagp.reproduce.tables.verdicts.rules import (
    FAILS,
    FB,
    HOLDS,
    MISSING,
    Claim,
    near_chance,
    not_above,
    not_below,
    same,
)

#: Where each figure is, in the order of rows.
PATHS = {
    "A1 Spearman": ("assumptions", "A1", "spearman"),
    "A4 delta": ("assumptions", "A4", "delta"),
    "A5 rho": ("assumptions", "A5", "rho"),
    "A6 semantic on emerging": ("assumptions", "A6", "auroc"),
    "semantic on novel": ("theorems", "semantic on novel", "measured"),
}
TITLES = {
    "A1 Spearman": "A1: rank correlation of frequency and variance",
    "A4 delta": "A4: largest gap of U_sem, which should be below 1",
    "A5 rho": "A5: share rho of emerging triples with full coverage",
    "A6 semantic on emerging": "A6: U_sem on emerging entities",
    "semantic on novel": "theorems 1 and 2 (i): U_sem on novel contexts is "
    "near chance",
}


def assumptions(records: Records) -> list[Claim]:
    r"""A1, A4, A5, A6 and what they lead to, on two graphs."""
    rows: list[Claim] = []
    for dataset, place in ((FB, 0), ("wn18rr", 1)):
        cell = models_of(records, dataset)
        if cell is None:
            continue
        preset = appendix_of(dataset)
        for name, path in PATHS.items():
            ours = records.spread(cell, "presets", preset, *path, digits=3)
            recipe = None
            if name != "A5 rho":
                recipe = records.spread(
                    f"{dataset}/recipe",
                    "model",
                    "presets",
                    preset,
                    *path,
                    digits=3,
                )
            paper = published.ASSUMPTIONS[name][place]
            rows.append(
                Claim(
                    f"{TITLES[name]}, {dataset}",
                    paper,
                    ours,
                    recipe,
                    _verdict(name, recipe or ours, paper),
                    "assumptions",
                )
            )
    return rows


def _verdict(name: str, ours: Spread | None, paper: float) -> str:
    if ours is None:
        return MISSING
    if name == "A1 Spearman":
        return not_above(ours, paper)
    if name == "A4 delta":
        if (ours.mean < 1) == (paper < 1):
            agree = "" if paper < 1 else ": violated here and in the paper"
            return f"{HOLDS}{agree}"
        there, here = ("satisfied", "violated")
        if ours.mean < 1:
            there, here = here, there
        return f"{FAILS}: {there} in the paper, {here} here"
    if name == "A5 rho":
        return same(ours, paper)
    if name == "semantic on novel":
        return near_chance(ours)
    return not_below(ours, paper)
