r"""Claims about what methods of others find, and what they miss."""

from functools import partial

from benchmark.paper import published
from benchmark.paper.tables.detection import METHODS, area
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Spread
from benchmark.paper.tables.verdicts.rules import (
    FAILS,
    FB,
    Claim,
    by_measure,
    near_chance,
    not_below,
    same,
)

#: Methods whose doubt has a second measure: which, and what it is called.
SECOND = {
    "mc dropout": ("mc dropout, mean", "mean probability"),
    "ensemble": ("ensemble, mean", "mean probability"),
    "sngp": ("sngp, mean", "mean-field probability"),
}

#: What the abstract says of them all.
EARLY, TAILS = "0.52 to 0.64 (abstract)", 0.99

BUDGET = "with a short training that was not tuned"


def misses(records: Records) -> list[Claim]:
    r"""Temporal-like triples, which methods of others are said to miss."""
    rows = []
    for method in ("score", "ukge", "beurre", "mc dropout", "ensemble", "sngp"):
        where = (records, FB, "temporal-like", "table2")
        ours = area(*where, method)
        other, name = SECOND.get(method, ("", ""))
        rows.append(
            Claim(
                f"temporal-like, {METHODS[method]}: near chance",
                _papers(method),
                ours,
                None,
                by_measure(near_chance, ours, area(*where, other), name),
                "table1",
            )
        )
    return rows


def finds(records: Records, dataset: str) -> list[Claim]:
    r"""Random tails, which they are said to find, but for SNGP."""
    place = published.STANDARD_PLACES[dataset]
    papers = {
        method: published.STANDARD[method][place]
        for method in ("score", "ukge", "sngp")
    }
    told: dict[str, float | str] = dict(papers)
    if dataset == FB:  # The abstract names no graph.
        for method in ("beurre", "ensemble"):
            papers[method] = TAILS
            told[method] = f"{TAILS} (abstract)"
    where = (records, dataset, "standard", "stated")
    rows = []
    for method, paper in papers.items():
        ours = area(*where, method)
        other, name = SECOND.get(method, ("", ""))
        # What SNGP is said to find is little, and more is another result.
        rule = same if method == "sngp" else not_below
        verdict = by_measure(
            partial(rule, paper=paper), ours, area(*where, other), name
        )
        if method != "score" and verdict.startswith(FAILS):
            first, *rest = verdict.split("; ")
            verdict = "; ".join((f"{first}, {BUDGET}", *rest))
        rows.append(
            Claim(
                f"random tails, {METHODS[method]}, {dataset}",
                told[method],
                ours,
                None,
                verdict,
                "table3",
            )
        )
    return rows


def best_measure(records: Records, method: str) -> Spread | None:
    r"""Returns what a method finds of temporal-like triples, by that measure
    of its doubt which finds more.
    """
    names = [method, *SECOND.get(method, ())[:1]]
    found = (area(records, FB, "temporal-like", "table2", n) for n in names)
    there = [figure for figure in found if figure is not None]
    return max(there, key=lambda figure: figure.mean, default=None)


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
    if not found:
        return EARLY
    if len(set(found)) == 1:
        return found[0]
    return f"{found[0]:.4f} (table 4: {found[1]:.4f})"
