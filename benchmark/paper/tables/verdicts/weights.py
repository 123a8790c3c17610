r"""Claims about the weight with which both doubts are mixed."""

from functools import partial

from benchmark.paper import published
from benchmark.paper.tables.common import recipes, winning_weights
from benchmark.paper.tables.detection import area
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Spread
from benchmark.paper.tables.verdicts.rules import (
    FAILS,
    FB,
    LABELS,
    Claim,
    by_recipe,
    not_below,
)


def weights(records: Records) -> list[Claim]:
    r"""Any weight, the best one, and one that is learned."""
    return [*_dominates(records), *_learned(records)]


def _dominates(records: Records) -> list[Claim]:
    r"""Whether a mix is better than both its parts: with any weight, as the
    abstract says, and with some weight, as the theorem says.
    """
    better, tried = winning_weights(records, FB, "temporal-like, table2")
    if not tried:
        return []
    told = f"{len(better)} of {tried} weights of U_sem"
    verdict = FAILS
    if better:
        told += f", from {min(better):g} to {max(better):g}"
        verdict = f"{FAILS} for the others"
    if len(better) == tried:
        verdict = LABELS
    return [
        Claim(
            "temporal-like: any convex combination is better than either "
            "signal (abstract)",
            "any",
            told,
            None,
            verdict,
            "mixing",
        ),
        Claim(
            "theorem 2 (iv): some convex combination is better than either "
            "signal",
            "some",
            told,
            None,
            LABELS if better else FAILS,
            "mixing",
        ),
    ]


def _learned(records: Records) -> list[Claim]:
    r"""What a learned weight adds to a fixed one."""
    rows = []
    for place, (title, protocol, preset) in enumerate(
        (
            ("temporal-like", "temporal-like", "table2"),
            ("random tails", "standard", "stated"),
        )
    ):
        ours = gain(
            area(records, FB, protocol, preset, "cagp"),
            area(records, FB, protocol, preset, "average"),
        )
        recipe = gain(
            *(
                recipes(records, FB, f"{protocol}, {preset}", method)
                for method in ("cagp", "average")
            )
        )
        if ours is None:
            continue
        paper = published.MIXING["cagp"][place]
        papers = paper - published.MIXING["average"][place]
        verdict = by_recipe(partial(not_below, paper=papers), ours, recipe)
        rows.append(
            Claim(
                f"{title}: a learned weight adds to a fixed one",
                papers,
                ours,
                recipe,
                verdict,
                "mixing",
            )
        )
    return rows


def gain(mix: Spread | None, *parts: Spread | None) -> Spread | None:
    r"""Returns by how much the mean of a mix is above that of its best part,
    if all of them are there.
    """
    there = [part.mean for part in parts if part is not None]
    if mix is None or len(there) < len(parts):
        return None
    return Spread(mix.mean - max(there))
