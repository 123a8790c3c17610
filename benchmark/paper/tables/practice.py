r"""Tables of use: calibration, selection, errors, sets of answers, cost."""

from typing import Any

from benchmark.paper import published
from benchmark.paper.rivals import OTHERS
from benchmark.paper.tables.common import (
    DEPENDENT,
    fewer_errors,
    of_paper,
    resamples_of,
)
from benchmark.paper.tables.detection import (
    DATASETS,
    METHODS,
    first_dataset,
    interval,
)
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table

#: Protocols of which calibration is shown, with their partitions: random tails,
#: as in the paper's tables 3 and 4, all kinds of OOD triples at once, and the
#: partition of its tables 1 and 2.
CALIBRATED = {
    "random tails": "standard-stated",
    "comprehensive": "comprehensive-stated",
    "temporal-like": "temporal-like-table2",
}

#: What mixes were fitted on before they ranked errors.
FITTED = (
    "Mixes and *all evidence* are fitted on validation triples of the protocol "
    "`comprehensive`, *evidence of errors* on the model's errors there."
)


def calibration(records: Records) -> Table:
    r"""Whether doubt, mapped to a probability on validation, means one."""
    dataset = first_dataset(records)
    rows = []
    for method, title in METHODS.items():
        row: list[Any] = [title]
        paper = of_paper(dataset, published.CALIBRATION.get(method))
        for place, figure in enumerate(("ece", "brier")):
            for setting in CALIBRATED.values():
                kind = "rivals" if method in OTHERS else "detection"
                name = f"{dataset}/{kind}/{setting}"
                row.append(
                    records.spread(
                        name,
                        "methods",
                        method,
                        "calibration",
                        figure,
                        digits=3,
                    )
                )
            row.append(paper[place] if paper else None)
        rows.append(row)
    return Table(
        "calibration",
        f"Calibration, {dataset}",
        (
            "method",
            *(f"ECE, {protocol}" for protocol in CALIBRATED),
            "paper",
            *(f"Brier, {protocol}" for protocol in CALIBRATED),
            "paper",
        ),
        rows,
        (
            interval(records),
            "Every doubt is mapped to a probability by Platt's method, fitted "
            "on validation; ECE is by bins of equal mass. A map of a doubt "
            "that tells nothing says the same of every triple: its ECE is near "
            "0, and its Brier score that of the share of OOD triples, 0.25 "
            "where that is a half. Temporal-like: partition of table 2. The "
            "paper does not say of which triples its figures are.",
        ),
    )


def selective(records: Records) -> Table:
    r"""Answering 85 % of queries."""
    dataset = first_dataset(records)
    name = f"{dataset}/errors"
    whole = published.SELECTIVE["none"]
    rows: list[Any] = [
        (
            "no abstention",
            1.0 if records.seeds(name) else None,
            records.spread(name, "accuracy", digits=3),
            None,
            of_paper(dataset, whole),
            None,
            None,
            None,
        )
    ]
    for method, name in judged_errors(records, dataset).items():
        paper = of_paper(dataset, published.SELECTIVE.get(method))
        rows.append(
            (
                METHODS.get(method, method),
                _at_rate(records, name, method, "answer_rate"),
                _at_rate(records, name, method, "accuracy"),
                _at_rate(records, name, method, "optimum"),
                paper,
                fewer_errors(records, name, method),
                None if paper is None else 1 - (1 - paper) / (1 - whole),
                records.spread(name, "methods", method, "aurc"),
            )
        )
    return Table(
        "selective",
        f"Selective prediction, 85 % to be answered, {dataset}",
        (
            "method",
            "answered",
            "accuracy",
            "best in hindsight",
            "paper",
            "fewer errors by",
            "paper",
            "AURC",
        ),
        rows,
        (
            interval(records),
            "The threshold is chosen on validation, so that the share "
            "answered on test is near 85 %; a doubt of few values, such as "
            "U_str, cannot meet it. The best in hindsight is that of the share "
            "answered. With the paper's accuracy of 62.3 % and 85 % answered, "
            "no selection whatsoever exceeds 0.623 / 0.85 = 73.3 %; it reports "
            "78.4 %. Errors of methods that answer more cannot be compared. "
            + FITTED,
        ),
    )


def _at_rate(records: Records, name: str, method: str, figure: str) -> Any:
    return records.spread(
        name, "methods", method, "selective", "0.85", figure, digits=3
    )


def errors(records: Records) -> Table:
    r"""Which doubt finds wrong predictions."""
    datasets = [
        d for d in records.datasets(DATASETS) if records.seeds(f"{d}/errors")
    ]
    names: dict[str, None] = {}
    for dataset in datasets:
        names |= dict.fromkeys(judged_errors(records, dataset))
    rows = []
    for method in names:
        row: list[Any] = [METHODS.get(method, method)]
        for dataset in datasets:
            name = judged_errors(records, dataset).get(method, "")
            row.append(records.spread(name, "methods", method, "aurc"))
            row.append(against_probability(records, name, method))
        rows.append(row)
    columns = ["method"]
    for dataset in datasets:
        columns += [f"{dataset}, AURC", "against max probability"]
    return Table(
        "errors",
        "Ranking of errors: area under the risk-coverage curve (lower is "
        "better)",
        columns,
        rows,
        (
            interval(records),
            "Against the maximum probability: better or worse with seed 0, and "
            "with how many seeds so; p is that of a paired bootstrap over the "
            "queries of seed 0, corrected by Holm's method among our methods, "
            "and among those of others, for each graph by itself. "
            f"{resamples_of(records, '/errors/')} {DEPENDENT} {FITTED}",
        ),
    )


def judged_errors(records: Records, dataset: str) -> dict[str, str]:
    r"""Returns the methods whose ranking of errors was judged, with the names
    of the cells that did.
    """
    found: dict[str, str] = {}
    for kind in ("rival-errors", "errors"):
        name = f"{dataset}/{kind}"
        for result in records.seeds(name)[:1]:
            found |= dict.fromkeys(result["methods"], name)
    order = {method: place for place, method in enumerate(METHODS)}
    return dict(
        sorted(found.items(), key=lambda item: order.get(item[0], len(order)))
    )


def against_probability(records: Records, name: str, method: str) -> str | None:
    r"""Returns whether a method ranks errors better than the maximum
    probability, with how many seeds, and its p-value.

    Args:
        records (Records): The records.
        name (str): The name of the cells that judge it, without the seed.
        method (str): The method.
    """
    results = records.seeds(name)
    gains = [
        result["methods"]["max probability"]["aurc"]
        - result["methods"][method]["aurc"]
        for result in results
        if {"max probability", method} <= result["methods"].keys()
    ]
    for row in results[0].get("comparisons", []) if results else []:
        if method in (row["first"], row["second"]) and gains:
            if method == "max probability":
                return None
            better = gains[0] > 0
            agree = sum((gain > 0) == better for gain in gains)
            return (
                f"{'better' if better else 'worse'} in {agree} of "
                f"{len(gains)}, p {row['p_bootstrap_holm']:.4f}"
            )
    return None


def conformal(records: Records) -> Table:
    r"""How often sets hold the answer, by kind of triple."""
    rows = []
    for dataset in records.datasets(DATASETS):
        results = records.seeds(f"{dataset}/conformal")
        for way in results[0] if results else {}:
            row: list[Any] = [dataset, way]
            name = f"{dataset}/conformal"
            row.append(records.spread(name, way, "coverage", digits=3))
            for kind in ("id", "emerging", "novel"):
                path = way, "by_kind", kind, "coverage"
                row.append(records.spread(name, *path, digits=3))
            row.append(records.spread(name, way, "mean_size", digits=1))
            rows.append(row)
    return Table(
        "conformal",
        "Conformal answer sets that promise 90 %",
        (
            "dataset",
            "thresholds",
            "coverage",
            "of ID",
            "of emerging",
            "of novel",
            "mean size",
        ),
        rows,
        (interval(records),),
    )


def cost(records: Records) -> Table:
    r"""Time and memory on top of a model."""
    rows = []
    for dataset in records.datasets(DATASETS):
        results = records.seeds(f"{dataset}/cost")
        if not results:
            continue
        found = results[0]
        rows.append(
            (
                dataset,
                found["structural / forward"],
                found["structural / all tails"],
                found["cagp / all tails"],
                f"{found['bytes']['model'] / 2**20:.1f}",
                f"{found['bytes']['coverage'] / 2**20:.2f}",
            )
        )
    return Table(
        "cost",
        "What doubt costs, batches of 2,048",
        (
            "dataset",
            "U_str / forward",
            "U_str / scoring all tails",
            "CAGP / scoring all tails",
            "model, MiB",
            "coverage, MiB",
        ),
        rows,
        (
            "Parts of the time of a forward pass over the same 2,048 triples, "
            "and of one that scores all tails of 2,048 queries; measured with "
            "seed 0 and no other cell at the same time. A share of a pass "
            "hangs on how fast the pass itself is: `benchmark/speed/"
            "serving.py`, another run, has a faster one and higher shares.",
        ),
    )
