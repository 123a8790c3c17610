r"""Claims about use: calibration, selection, the calendar, cost."""

from collections.abc import Callable

from pyg_cagp.reproduce import published
from pyg_cagp.reproduce.rivals import OTHERS
from pyg_cagp.reproduce.tables.common import fewer_errors
from pyg_cagp.reproduce.tables.detection import METHODS, area
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Spread
from pyg_cagp.reproduce.tables.verdicts.rules import (
    CLOSE,
    FAILS,
    FB,
    HOLDS,
    UNTESTED,
    Claim,
    not_above,
    not_below,
    same,
)


def practice(records: Records) -> list[Claim]:
    r"""What doubt is good for, and what it costs."""
    return [
        *_calibration(records),
        *_selective(records),
        *_composition(records),
        *_cost(records),
    ]


def _calibration(records: Records) -> list[Claim]:
    cell = f"{FB}/detection/standard-stated"

    def figure(method: str, name: str) -> Spread | None:
        return records.spread(
            cell, "methods", method, "calibration", name, digits=3
        )

    paper = published.CALIBRATION
    rows = [
        Claim(
            f"calibration of CAGP, random tails: {title}",
            paper["cagp"][place],
            figure("cagp", name),
            None,
            not_above(figure("cagp", name), paper["cagp"][place]),
            "calibration",
        )
        for place, (name, title) in enumerate(
            (("ece", "ECE"), ("brier", "Brier score"))
        )
    ]
    for single, title in (("structural", "U_str"), ("semantic", "U_sem")):
        rows += _better_calibrated(figure, single, title)
    return rows


def _better_calibrated(
    figure: Callable[[str, str], Spread | None], single: str, title: str
) -> list[Claim]:
    r"""By how much the ECE of the mix is below that of one of its parts."""
    mix, part = (figure(method, "ece") for method in ("cagp", single))
    sharper = [
        found
        for method in ("cagp", single)
        if (found := figure(method, "brier")) is not None
    ]
    if mix is None or part is None or len(sharper) < 2:
        return []
    paper = published.CALIBRATION
    ours = 1 - mix.mean / part.mean
    papers = 1 - paper["cagp"][0] / paper[single][0]
    verdict = HOLDS if ours >= papers - CLOSE else f"{FAILS}: by less here"
    if ours < 0:
        verdict = f"{FAILS}: it is higher here"
        if sharper[0].mean < sharper[1].mean:
            verdict += (
                ", though by the Brier score, which a doubt that tells little "
                f"cannot win, CAGP is better ({sharper[0]} against "
                f"{sharper[1]})"
            )
    return [
        Claim(
            f"calibration: ECE of CAGP is below that of {title} by",
            f"{100 * papers:.0f} %",
            f"{100 * ours:.0f} % ({mix.mean:.3f} against {part.mean:.3f})",
            None,
            verdict,
            "calibration",
        )
    ]


def _selective(records: Records) -> list[Claim]:
    cell = f"{FB}/errors"
    best = _kept(records, "cagp")
    fewer = fewer_errors(records, cell, "cagp")
    if best is None:
        return []
    whole, kept = published.SELECTIVE["none"], published.SELECTIVE["cagp"]
    papers = 1 - (1 - kept) / (1 - whole)
    verdict = not_below(fewer, papers)
    if fewer is not None and fewer.mean <= 0:
        verdict = f"{FAILS}: they are not fewer here"
    rivals = {
        method: figure.mean
        for method in published.SELECTIVE
        if method not in ("none", "cagp")
        and (figure := _kept(records, method)) is not None
    }
    better = [METHODS[m] for m, mean in rivals.items() if mean > best.mean]
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
            f"{FAILS}: {', '.join(better)} are better"
            if better
            else f"{HOLDS} among the {len(rivals)} others that were computed",
            "selective",
        ),
    ]


def _kept(records: Records, method: str) -> Spread | None:
    r"""Returns the accuracy where 85 % are answered."""
    kind = "rival-errors" if method in OTHERS else "errors"
    path = ("methods", method, "selective", "0.85", "accuracy")
    return records.spread(f"{FB}/{kind}", *path, digits=3)


def _composition(records: Records) -> list[Claim]:
    future = records.one("icews14/composition")
    if future is None:
        return []
    counts = future["future"]
    ood = counts["novel"] + counts["emerging"]
    share = counts["novel"] / ood if ood else 0.0
    paper = published.COMPOSITION["icews14"][0]
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
            "U_str on ICEWS14",
            "0.824, said to be in table 1",
            area(records, "icews14", "temporal-like", "table2", "structural"),
            None,
            f"{UNTESTED}: table 1 has no ICEWS14; 0.824 is its U_sem on "
            "YAGO3-10",
            "table1",
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
