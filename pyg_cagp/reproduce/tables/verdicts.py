r"""What holds and what does not: each claim of the paper beside our figure.

Figures come from records. A verdict is computed where it is a comparison, and
written here where it follows from a definition.
"""

from typing import Any

from pyg_cagp.reproduce import published
from pyg_cagp.reproduce.tables.common import models_of
from pyg_cagp.reproduce.tables.detection import area
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Spread, Table

HOLDS = "holds"
BY_CONSTRUCTION = "holds by construction"
FAILS = "does not hold"
UNTESTED = "cannot be tested here"

#: How far a figure may be from the paper's to be the same.
CLOSE = 0.01

FB = "fb15k-237"


def verdicts(records: Records) -> Table:
    r"""Every claim with its verdict; of FB15k-237 unless said otherwise."""
    rows = [
        *_partition(records),
        *_temporal(records),
        *_standard(records),
        *_assumptions(records),
        *_practice(records),
        (
            "all figures of YAGO3-10",
            "0.942 and others",
            None,
            f"{UNTESTED}: its training file is not at hand; YAGO-sample is "
            "other triples",
            "table1 --datasets yago3-10",
        ),
    ]
    return Table(
        "verdicts",
        "What holds and what does not (FB15k-237 unless said otherwise)",
        ("claim", "paper", "measured", "verdict", "pyg-cagp reproduce"),
        rows,
    )


def near(ours: Spread | None, paper: float) -> str:
    r"""Returns the verdict on a figure that should be the paper's."""
    if ours is None:
        return "not computed yet"
    if abs(ours.mean - paper) <= CLOSE:
        return HOLDS
    return f"{FAILS}: {'higher' if ours.mean > paper else 'lower'} here"


def at_least(ours: Spread | None, paper: float) -> str:
    r"""Returns the verdict on a figure that should not be below the
    paper's.
    """
    if ours is None:
        return "not computed yet"
    return HOLDS if ours.mean >= paper - CLOSE else f"{FAILS}: lower here"


def _partition(records: Records) -> list[tuple[Any, ...]]:
    found = records.one(f"{FB}/graph")
    if found is None:
        return []
    test = found["presets"]["table2"]["splits"]["test"]
    stated = found["presets"]["stated"]["splits"]["test"]
    kinds = ("emerging", "novel", "id")
    ours = [test[kind] for kind in kinds]
    papers = [published.STRATIFIED_COUNTS[kind] for kind in kinds]
    area_of = test["u_str_auroc"]
    rho = test["rho"]
    return [
        (
            "counts of emerging, novel and ID test triples",
            " / ".join(f"{n:,}" for n in papers),
            " / ".join(f"{n:,}" for n in ours),
            f"{HOLDS if ours == papers else FAILS} for quantile 0.25 "
            "inclusive; the text says 0.10, which gives "
            + " / ".join(f"{stated[kind]:,}" for kind in kinds),
            "partitions",
        ),
        (
            "U_str on novel contexts",
            1.0,
            area_of["novel"],
            f"{BY_CONSTRUCTION}: missing coverage defines them",
            "partitions",
        ),
        (
            "U_str on emerging entities",
            published.STRATIFIED["structural"][0],
            area_of["emerging"],
            near(Spread(area_of["emerging"]), 0.784),
            "partitions",
        ),
        (
            "theorem 2 (ii): U_str on emerging entities is 1 - rho",
            f"{1 - rho:.3f}",
            area_of["emerging"],
            f"{FAILS}: with ties counted half it is 1 - rho / 2 = "
            f"{1 - rho / 2:.3f}",
            "partitions",
        ),
        *_overlap(found),
    ]


def _overlap(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    shares = found["overlap"]["appendix"]
    return [
        (
            "A3: every novel context has an ID triple within a frequency of 1",
            "100 %",
            f"{100 * shares['id']['1']:.1f} % (training triples: "
            f"{100 * shares['train']['1']:.1f} %)",
            HOLDS if shares["id"]["1"] == 1 else FAILS,
            "a3",
        )
    ]


def _temporal(records: Records) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    where = (records, FB, "temporal-like", "table2")
    for method, title in (
        ("semantic", "U_sem"),
        ("average", "simple average"),
        ("cagp", "CAGP"),
    ):
        paper = published.STRATIFIED[method]
        for place, kind in enumerate(("emerging", "novel", "overall")):
            if (method, kind) == ("average", "novel"):
                continue
            ours = area(*where, method, kind)
            judge = near if method == "semantic" else at_least
            verdict = judge(ours, paper[place])
            if method == "cagp" and verdict == HOLDS:
                verdict = (
                    f"{BY_CONSTRUCTION}: frequency and coverage are the labels"
                )
            rows.append(
                (
                    f"temporal-like, {title}, {kind}",
                    paper[place],
                    ours,
                    verdict,
                    "table2",
                )
            )
    for method, title in (
        ("ukge", "UKGE"),
        ("mc dropout", "MC Dropout"),
        ("ensemble", "Deep Ensemble"),
        ("sngp", "SNGP"),
    ):
        ours = area(*where, method)
        paper_figure = published.TEMPORAL[method][0]
        rows.append(
            (
                f"temporal-like, {title}: near chance",
                paper_figure,
                ours,
                "not computed yet"
                if ours is None
                else HOLDS
                if ours.mean < 0.65
                else FAILS,
                "table1",
            )
        )
    return rows


def _standard(records: Records) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for dataset, place in ((FB, 1), ("wn18rr", 0)):
        for method, title in (
            ("structural", "U_str"),
            ("score", "energy (negative score)"),
            ("ukge", "UKGE"),
        ):
            paper = published.STANDARD[method][place]
            ours = area(records, dataset, "standard", "stated", method)
            judge = near if method == "structural" else at_least
            rows.append(
                (
                    f"random tails, {title}, {dataset}",
                    paper,
                    ours,
                    judge(ours, paper),
                    "table3",
                )
            )
        paper = published.STANDARD["cagp"][place]
        ours = area(records, dataset, "standard", "stated", "cagp")
        leaking = records.spread(
            f"{dataset}/leak",
            "1 / (1 + frequency)",
            "as published, largest",
            digits=3,
        )
        verdict = at_least(ours, paper)
        if verdict.startswith(FAILS) and leaking is not None:
            verdict = f"{FAILS}: a scale that sees labels gives {leaking}"
        rows.append(
            (f"random tails, CAGP, {dataset}", paper, ours, verdict, "leak")
        )
    return rows


def _assumptions(records: Records) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    paths = {
        "A1 Spearman": ("A1", "spearman"),
        "A4 delta": ("A4", "delta"),
        "A5 rho": ("A5", "rho"),
        "A6 semantic on emerging": ("A6", "auroc"),
    }
    for dataset, place in ((FB, 0), ("wn18rr", 1)):
        cell = models_of(records, dataset)
        if cell is None:
            continue
        preset = "appendix" if dataset == FB else "inclusive"
        for title, path in paths.items():
            ours = records.spread(
                cell, "presets", preset, "assumptions", *path, digits=3
            )
            paper = published.ASSUMPTIONS[title][place]
            rows.append(
                (
                    f"{title}, {dataset}",
                    paper,
                    ours,
                    _assumption(title, ours, paper),
                    "assumptions",
                )
            )
    return rows


def _assumption(title: str, ours: Spread | None, paper: float) -> str:
    if ours is None:
        return "not computed yet"
    if title == "A1 Spearman":
        return HOLDS if ours.mean <= paper else FAILS
    if title == "A4 delta":
        return f"{HOLDS if ours.mean < 1 else FAILS} (needs to be below 1)"
    return near(ours, paper) if title == "A5 rho" else at_least(ours, paper)


def _practice(records: Records) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    ece = records.spread(
        f"{FB}/detection/standard-stated",
        "methods",
        "cagp",
        "calibration",
        "ece",
        digits=3,
    )
    paper = published.CALIBRATION["cagp"][0]
    rows.append(
        (
            "calibration of CAGP: ECE, random tails",
            paper,
            ece,
            "not computed yet"
            if ece is None
            else HOLDS
            if ece.mean <= paper + CLOSE
            else FAILS,
            "calibration",
        )
    )
    best = records.spread(
        f"{FB}/errors", "methods", "cagp", "selective", "0.85", "accuracy"
    )
    rows.append(
        (
            "selective prediction: CAGP at 85 % answered, from 62.3 %",
            published.SELECTIVE["cagp"],
            best,
            f"{FAILS}: 0.623 / 0.85 = {0.623 / 0.85:.3f} is the most that any "
            "selection can reach",
            "selective",
        )
    )
    views = records.one(f"{FB}/coverage-views")
    if views is not None:
        for view in ("log", "tfidf"):
            ours = views[view]["test"]["auroc"]
            paper = published.VIEWS[view][0]
            rows.append(
                (
                    f"{view} coverage fails on novel contexts",
                    paper,
                    ours,
                    near(Spread(ours), paper),
                    "coverage",
                )
            )
    future = records.one("icews14/composition")
    if future is not None:
        counts = future["future"]
        ood = counts["novel"] + counts["emerging"]
        share = counts["novel"] / ood if ood else 0.0
        rows.append(
            (
                "ICEWS14: share of novel contexts among future OOD triples",
                published.COMPOSITION["icews14"][0],
                share,
                near(Spread(share), published.COMPOSITION["icews14"][0]),
                "composition",
            )
        )
    costs = records.one(f"{FB}/cost/0")
    if costs is not None:
        rows.append(
            (
                "U_str costs less than 2 % of a forward pass",
                "< 2 %",
                f"{100 * costs['structural / all tails']:.1f} % of scoring all "
                f"tails, {100 * costs['structural / forward']:.0f} % of "
                "scoring the triples alone",
                HOLDS if costs["structural / all tails"] < 0.02 else FAILS,
                "cost",
            )
        )
    return rows
