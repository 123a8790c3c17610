r"""Claims about what each method finds among temporal-like OOD triples."""

from collections.abc import Callable
from functools import partial

from pyg_cagp.reproduce import published
from pyg_cagp.reproduce.tables.common import recipes
from pyg_cagp.reproduce.tables.detection import area
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Spread
from pyg_cagp.reproduce.tables.verdicts.gains import gains
from pyg_cagp.reproduce.tables.verdicts.rules import (
    FB,
    HOLDS,
    LABELS,
    Claim,
    by_recipe,
    near_chance,
    not_below,
)

#: Where a recipe's cell holds the AUROC of the variances by kind.
SEMANTIC = {
    "emerging": ("assumptions", "A6", "auroc"),
    "novel": ("theorems", "semantic on novel", "measured"),
    "overall": ("theorems", "mix", "semantic overall"),
}


def temporal(records: Records) -> list[Claim]:
    r"""Emerging entities and novel contexts."""
    where = (records, FB, "temporal-like", "table2")
    rows = []
    for place, kind in enumerate(("emerging", "novel", "overall")):
        paper = published.STRATIFIED["semantic"][place]
        recipe = records.spread(
            f"{FB}/recipe", "model", "presets", "table2", *SEMANTIC[kind]
        )
        ours = area(*where, "semantic", kind)
        title = f"temporal-like, U_sem, {kind}"
        rule: Callable[[Spread | None], str] = partial(not_below, paper=paper)
        if kind != "emerging":
            title, rule = f"{title}: near chance", near_chance
        verdict = by_recipe(rule, ours, recipe)
        rows.append(Claim(title, paper, ours, recipe, verdict, "table2"))
    for method, title in (("average", "simple average"), ("cagp", "CAGP")):
        for place, kind in enumerate(("emerging", "novel", "overall")):
            paper = published.STRATIFIED[method][place]
            ours = area(*where, method, kind)
            recipe = None
            if kind == "overall":
                recipe = recipes(records, FB, "temporal-like, table2", method)
            verdict = not_below(recipe or ours, paper)
            if verdict == HOLDS:
                verdict = LABELS
            rows.append(
                Claim(
                    f"temporal-like, {title}, {kind}",
                    paper,
                    ours,
                    recipe,
                    verdict,
                    "table2",
                )
            )
    for method, title in (
        ("score", "energy (negative score)"),
        ("ukge", "UKGE"),
        ("mc dropout", "MC Dropout"),
        ("ensemble", "Deep Ensemble"),
        ("sngp", "SNGP"),
    ):
        ours = area(*where, method)
        rows.append(
            Claim(
                f"temporal-like, {title}: near chance",
                _papers(method),
                ours,
                None,
                near_chance(ours),
                "table1",
            )
        )
    return [*rows, *gains(records)]


def _papers(method: str) -> str | float:
    r"""Returns the paper's figure, both where its tables 1 and 4 differ."""
    found = [
        figures[place]
        for figures, place in (
            (published.TEMPORAL.get(method), 0),
            (published.SHIFTS.get(method), 1),
        )
        if figures is not None
    ]
    if len(set(found)) == 1:
        return found[0]
    return f"{found[0]:.4f} (table 4: {found[1]:.4f})"
