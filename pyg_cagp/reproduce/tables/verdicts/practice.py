r"""Claims about use: calibration, selection, other models, cost."""

from typing import Any

from pyg_cagp.reproduce import published
from pyg_cagp.reproduce.tables.common import fewer_errors
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Spread
from pyg_cagp.reproduce.tables.verdicts.rules import (
    BY_CONSTRUCTION,
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


def practice(records: Records) -> list[Claim]:
    r"""Everything that is not about finding OOD triples with one model."""
    return [
        *_calibration(records),
        *_selective(records),
        *_architectures(records),
        *_mistakes(records),
        *_tau(records),
        *_views(records),
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
    mix, single = figure("cagp", "ece"), figure("structural", "ece")
    if mix is not None and single is not None:
        ours = 1 - mix.mean / single.mean
        papers = 1 - paper["cagp"][0] / paper["structural"][0]
        rows.append(
            Claim(
                "calibration: ECE of CAGP is below that of U_str by",
                f"{100 * papers:.0f} %",
                f"{100 * ours:.0f} % ({mix.mean:.3f} against "
                f"{single.mean:.3f})",
                None,
                HOLDS
                if ours >= papers
                else f"{FAILS}: U_str is better calibrated"
                if ours < 0
                else FAILS,
                "calibration",
            )
        )
    return rows


def _selective(records: Records) -> list[Claim]:
    cell = f"{FB}/errors"
    best = records.spread(
        cell, "methods", "cagp", "selective", "0.85", "accuracy", digits=3
    )
    fewer = fewer_errors(records, cell, "cagp")
    whole, kept = published.SELECTIVE["none"], published.SELECTIVE["cagp"]
    papers = 1 - (1 - kept) / (1 - whole)
    verdict = not_below(fewer, papers)
    if fewer is not None and fewer.mean <= 0:
        verdict = f"{FAILS}: they are not fewer here"
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
    ]


def _architectures(records: Records) -> list[Claim]:
    rows = []
    for model, paper in published.ARCHITECTURES.items():
        ours = records.spread(
            f"{FB}/architectures/{model}", "standard, stated", "cagp"
        )
        rows.append(
            Claim(
                f"random tails, CAGP with {model}",
                paper[2],
                ours,
                None,
                not_below(ours, paper[2]),
                "architectures",
            )
        )
    return rows


def _mistakes(records: Records) -> list[Claim]:
    rows = []
    for kind, whole in (("false positives", "ID"), ("false negatives", "OOD")):
        part = records.spread(f"{FB}/mistakes", kind, "tail degree", digits=0)
        others = records.spread(
            f"{FB}/mistakes", whole.lower(), "tail degree", digits=0
        )
        papers = (
            published.MISTAKES[f"tail degree of {kind}"],
            published.MISTAKES[f"tail degree of {whole}"],
        )
        verdict = MISSING
        if part is not None and others is not None:
            agree = (part.mean < others.mean) == (papers[0] < papers[1])
            verdict = HOLDS if agree else f"{FAILS}: the other way round here"
        rows.append(
            Claim(
                f"mistakes of CAGP, random tails: degree of tails, {kind} "
                f"against {whole}",
                f"{papers[0]} against {papers[1]}",
                None if part is None else f"{part} against {others}",
                None,
                verdict,
                "mistakes",
            )
        )
    return rows


def _tau(records: Records) -> list[Claim]:
    ours = {
        quantile: records.spread(f"{FB}/tau", quantile, "cagp")
        for quantile in published.TAU
    }
    figures = [s.mean for s in ours.values() if s is not None]
    if len(figures) < len(ours):
        return []
    low, high = min(published.TAU.values()), max(published.TAU.values())
    width = max(figures) - min(figures)
    return [
        Claim(
            "CAGP hardly depends on the quantile of the threshold "
            "(0.05 to 0.30)",
            f"{low} to {high}",
            f"{min(figures):.4f} to {max(figures):.4f}",
            None,
            f"{BY_CONSTRUCTION}: frequency and coverage are the labels"
            if width <= high - low
            else FAILS,
            "tau",
        )
    ]


def _views(records: Records) -> list[Claim]:
    views = records.one(f"{FB}/coverage-views")
    rows: list[Claim] = []
    for view in ("log", "tfidf") if views is not None else ():
        found: dict[str, Any] = views[view]  # type: ignore[index]
        test, train = (found[part]["auroc"] for part in ("test", "train"))
        paper = published.VIEWS[view][0]
        rows.append(
            Claim(
                f"{view} coverage on novel contexts: near chance",
                paper,
                f"{test:.4f} (ID triples of train: {train:.4f})",
                None,
                near_chance(Spread(test)),
                "coverage",
            )
        )
    return rows


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
        )
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
