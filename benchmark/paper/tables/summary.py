r"""The figures that decide whether doubt can be trusted, on one page."""

from typing import Any

from benchmark.paper.tables.common import models_of
from benchmark.paper.tables.detection import DATASETS, area, interval
from benchmark.paper.tables.practice import against_probability
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table

#: Rows of AUROCs: their title, protocol, partition, method and kind.
AREAS = (
    ("temporal-like, stated", "temporal-like", "stated"),
    ("temporal-like, inclusive", "temporal-like", "inclusive"),
    ("temporal-like, table 2", "temporal-like", "table2"),
)
MIXES = {
    "semantic, max": "U_sem, larger of both ends",
    "structural": "U_str",
    "cagp": "CAGP",
    "cagp, max": "CAGP, larger of both ends",
}


def summary(records: Records) -> Table:
    r"""Our methods on every graph."""
    datasets = [
        dataset
        for dataset in records.datasets(DATASETS)
        if records.seeds(f"{dataset}/detection/temporal-like-stated")
    ]
    rows: list[list[Any]] = []

    def add(title: str, figure: Any) -> None:
        rows.append([title, *(figure(dataset) for dataset in datasets)])

    add("MRR of the model", lambda d: _mrr(records, d))
    for title, protocol, preset in AREAS:
        for method, name in MIXES.items():
            add(
                f"{title}: {name}",
                lambda d, p=protocol, s=preset, m=method: area(
                    records, d, p, s, m
                ),
            )
    for method in ("cagp", "cagp, max"):
        add(
            f"temporal-like, table 2, emerging alone: {MIXES[method]}",
            lambda d, m=method: area(
                records, d, "temporal-like", "table2", m, "emerging"
            ),
        )
    for protocol in ("standard", "comprehensive"):
        for method, name in (
            ("cagp", "CAGP"),
            ("probability", "1 - softmax probability"),
            ("evidence, no score", "all evidence but scores"),
            ("evidence", "all evidence"),
        ):
            add(
                f"{protocol}: {name}",
                lambda d, p=protocol, m=method: area(
                    records, d, p, "stated", m
                ),
            )
    for protocol in ("standard", "comprehensive"):
        add(
            f"{protocol}: ECE of all evidence",
            lambda d, p=protocol: records.spread(
                f"{d}/detection/{p}-stated",
                "methods",
                "evidence",
                "calibration",
                "ece",
            ),
        )
    for method in ("max probability", "evidence of errors"):
        add(
            f"errors, AURC (lower is better): {method}",
            lambda d, m=method: records.spread(
                f"{d}/errors", "methods", m, "aurc"
            ),
        )
    add(
        "errors: evidence of errors against max probability",
        lambda d: against_probability(
            records, f"{d}/errors", "evidence of errors"
        ),
    )
    return Table(
        "summary",
        "Summary (AUROC unless said otherwise)",
        ("figure", *datasets),
        rows,
        (
            interval(records),
            "Temporal-like labels follow from frequency and coverage, which "
            "CAGP is made of, and so do those of `comprehensive` in part; "
            "those of `standard` (random tails) and of errors do not. ECE is "
            "after Platt's map, fitted on validation.",
        ),
    )


def _mrr(records: Records, dataset: str) -> Any:
    name = models_of(records, dataset)
    return None if name is None else records.spread(name, "test", "mrr")
