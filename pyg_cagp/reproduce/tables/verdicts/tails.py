r"""Claims about random tails, and whether a leak explains them."""

from pyg_cagp.reproduce import published
from pyg_cagp.reproduce.tables.common import LEAKING, recipes
from pyg_cagp.reproduce.tables.detection import area
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Spread
from pyg_cagp.reproduce.tables.verdicts.rules import (
    CLOSE,
    FAILS,
    FB,
    HOLDS,
    MISSING,
    Claim,
    by_recipe,
    not_below,
    same,
)

BUDGET = "with a short training that was not tuned"


def random_tails(records: Records) -> list[Claim]:
    r"""Standard OOD."""
    rows: list[Claim] = []
    for dataset in (FB, "wn18rr"):
        place = published.STANDARD_PLACES[dataset]
        for method, title in (
            ("structural", "U_str"),
            ("semantic", "U_sem"),
            ("score", "energy (negative score)"),
            ("ukge", "UKGE"),
            ("sngp", "SNGP"),
        ):
            paper = published.STANDARD[method][place]
            ours = area(records, dataset, "standard", "stated", method)
            recipe = None
            if method == "semantic":
                recipe = recipes(records, dataset, "standard, stated", method)
            verdict = _found(method, ours, recipe, paper)
            if method in ("ukge", "sngp") and verdict.startswith(FAILS):
                verdict = f"{verdict}, {BUDGET}"
            rows.append(
                Claim(
                    f"random tails, {title}, {dataset}",
                    paper,
                    ours,
                    recipe,
                    verdict,
                    "table3",
                )
            )
        for method, title in (("average", "simple average"), ("cagp", "CAGP")):
            paper = published.STANDARD[method][place]
            ours = area(records, dataset, "standard", "stated", method)
            recipe = recipes(records, dataset, "standard, stated", method)
            verdict = _explained(records, dataset, recipe or ours, paper)
            alone = area(records, dataset, "standard", "stated", "structural")
            if recipe is not None and recipe == alone:
                verdict += "; with the recipe, the fitted weight leaves U_str"
            rows.append(
                Claim(
                    f"random tails, {title}, {dataset}",
                    paper,
                    ours,
                    recipe,
                    verdict,
                    "table3 leak",
                )
            )
    return rows


def _found(
    method: str, ours: Spread | None, recipe: Spread | None, paper: float
) -> str:
    # What SNGP is said to find is little, and more would be another result.
    if method in ("structural", "sngp"):
        return same(ours, paper)
    return by_recipe(lambda found: not_below(found, paper), ours, recipe)


def _explained(
    records: Records, dataset: str, ours: Spread | None, paper: float
) -> str:
    r"""Returns the verdict on a mix, and whether a scale that sees labels
    gives the paper's figure.
    """
    verdict = not_below(ours, paper)
    if verdict in (HOLDS, MISSING):
        return verdict
    leaking = {
        f"{signal}, by the {scale}": records.spread(
            f"{dataset}/leak", signal, f"as published, {scale}", digits=3
        )
        for signal in LEAKING
        for scale in ("range", "largest")
    }
    there = {way: figure for way, figure in leaking.items() if figure}
    if not there:
        return verdict
    away = {way: abs(figure.mean - paper) for way, figure in there.items()}
    nearest = min(away, key=lambda way: away[way])
    near = sum(distance <= CLOSE for distance in away.values())
    told = f"the nearest {there[nearest]} ({nearest}, weight 0.5)"
    return (
        f"{verdict}; of {len(there)} scales that see labels, {near or 'none'} "
        f"come within {CLOSE} of it, {told}"
    )
