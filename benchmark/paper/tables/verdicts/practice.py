r"""Claims about use: calibration, selection, the calendar, cost."""

from benchmark.paper import published
from benchmark.paper.rivals import OTHERS
from benchmark.paper.tables.common import fewer_errors
from benchmark.paper.tables.detection import METHODS
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Spread
from benchmark.paper.tables.verdicts.calibration import calibration
from benchmark.paper.tables.verdicts.rules import (
    FAILS,
    FB,
    HOLDS,
    Claim,
    listed,
    not_below,
    same,
)

#: The share of queries that should be answered, and how far from it a method
#: of few values may be to be compared.
RATE, ABOUT = 0.85, 0.02


def practice(records: Records) -> list[Claim]:
    r"""What doubt is good for, and what it costs."""
    return [
        *calibration(records),
        *_selective(records),
        *_composition(records),
        *_cost(records),
    ]


def _selective(records: Records) -> list[Claim]:
    cell = f"{FB}/errors"
    best = _kept(records, "cagp", "accuracy")
    fewer = fewer_errors(records, cell, "cagp")
    if best is None:
        return []
    whole, kept = published.SELECTIVE["none"], published.SELECTIVE["cagp"]
    papers = 1 - (1 - kept) / (1 - whole)
    verdict = not_below(fewer, papers)
    if fewer is not None and fewer.mean <= 0:
        verdict = f"{FAILS}: they are not fewer here"
    verdict_of_five = _best_of_five(records, best.mean)
    return [
        Claim(
            "selective prediction: CAGP at 85 % answered, from 62.3 %",
            kept,
            best,
            None,
            f"{FAILS}: {whole} / 0.85 = {whole / 0.85:.3f} is the most that "
            "any selection can reach",
            "selective",
        ),
        Claim(
            "selective prediction: CAGP at 85 % answered, fewer errors by",
            f"{100 * papers:.0f} %",
            None if fewer is None else f"{100 * fewer.mean:.1f} %",
            None,
            verdict,
            "selective",
        ),
        Claim(
            "selective prediction: CAGP is the best of the paper's five "
            "methods",
            kept,
            best,
            None,
            verdict_of_five,
            "selective",
        ),
    ]


def _best_of_five(records: Records, ours: float) -> str:
    r"""Returns whether any other method is right more often where about as
    many queries are answered.
    """
    better, apart, number = [], [], 0
    for method in published.SELECTIVE:
        accuracy = _kept(records, method, "accuracy")
        rate = _kept(records, method, "answer_rate")
        if method == "cagp" or accuracy is None or rate is None:
            continue
        title = METHODS[method]
        if abs(rate.mean - RATE) > ABOUT:
            apart.append(
                f" ({title}, which answers {100 * rate.mean:.0f} %, is not "
                "compared)"
            )
            continue
        number += 1
        if accuracy.mean > ours:
            better.append(title)
    verdict = f"{HOLDS} among the {number} others that can be compared"
    if better:
        verdict = f"{FAILS}: more is right with {listed(better)}"
    return "".join((verdict, *apart))


def _kept(records: Records, method: str, figure: str) -> Spread | None:
    r"""Returns a figure where 85 % should be answered."""
    kind = "rival-errors" if method in OTHERS else "errors"
    path = ("methods", method, "selective", f"{RATE}", figure)
    return records.spread(f"{FB}/{kind}", *path, digits=3)


def _composition(records: Records) -> list[Claim]:
    future = records.one("icews14/composition")
    if future is None:
        return []
    counts = future["future"]
    ood = counts["novel"] + counts["emerging"]
    share = counts["novel"] / ood if ood else 0.0
    paper = published.COMPOSITION["icews14"][0]
    told = published.TEMPORAL["semantic"][1]
    return [
        Claim(
            "ICEWS14: share of novel contexts among future OOD triples",
            paper,
            share,
            None,
            same(Spread(share), paper),
            "composition",
        ),
        Claim(
            "U_str on ICEWS14's true future",
            f"{told}, said to be in table 1",
            future["structural"]["all"],
            None,
            not_below(Spread(future["structural"]["all"]), told)
            + "; table 1 has no ICEWS14, and this figure as U_sem on YAGO3-10",
            "composition",
        ),
    ]


def _cost(records: Records) -> list[Claim]:
    costs = records.one(f"{FB}/cost/0")
    if costs is None:
        return []
    alone, tails = (
        costs["structural / forward"],
        costs["structural / all tails"],
    )
    verdict = HOLDS
    if alone >= 0.02:
        verdict = f"{FAILS} for a pass over the same triples"
        if tails < 0.02:
            verdict += "; holds for one that scores all tails"
    return [
        Claim(
            "U_str adds to a forward pass",
            "< 2 %",
            f"{100 * alone:.0f} % over the same triples, "
            f"{100 * tails:.1f} % if all tails are scored",
            None,
            verdict,
            "cost",
        )
    ]
