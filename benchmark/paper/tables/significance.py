r"""Whether differences are beyond chance, and metrics other than AUROC."""

from typing import Any

from benchmark.paper.rivals import OTHERS
from benchmark.paper.tables.common import DEPENDENT, resamples_of
from benchmark.paper.tables.detection import (
    DATASETS,
    METHODS,
    first_dataset,
    interval,
)
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table

#: The paper's two protocols: title, protocol and partition.
PROTOCOLS = {
    "temporal-like": "temporal-like-table2",
    "random tails": "standard-stated",
}


def significance(records: Records) -> Table:
    r"""CAGP against every other method, by a paired bootstrap."""
    columns, found = ["method"], []
    for dataset in records.datasets(DATASETS):
        for title, setting in PROTOCOLS.items():
            differences = _differences(records, dataset, setting)
            if differences:
                columns.append(f"{dataset}, {title}")
                found.append(differences)
    rows = [
        (title, *(differences.get(method) for differences in found))
        for method, title in METHODS.items()
        if any(method in differences for differences in found)
    ]
    return Table(
        "significance",
        "AUROC of CAGP less that of each method, and whether it is by chance",
        columns,
        rows,
        (
            "Seed 0. p is that of a paired bootstrap over test triples, "
            "corrected by Holm's method among our methods, and among those of "
            "others, for each column by itself. "
            f"{resamples_of(records, '/detection/')} {DEPENDENT} On "
            "temporal-like partitions CAGP is made of what the labels are "
            "made of.",
        ),
    )


def _differences(
    records: Records, dataset: str, setting: str
) -> dict[str, str]:
    return {
        row[
            "second"
        ]: f"{row['difference']:+.4f}, p {row['p_bootstrap_holm']:.4f}"
        for kind in ("detection", "rivals")
        for result in records.seeds(f"{dataset}/{kind}/{setting}")[:1]
        for row in result.get("comparisons", [])
        if row["first"] == "cagp"
    }


def metrics(records: Records) -> Table:
    r"""AUPR, F1 and the false positive rate where 95 % of OOD are found."""
    dataset = first_dataset(records)
    shown = {"aupr": "AUPR", "f1": "F1", "fpr_at_95_tpr": "FPR at 95 % TPR"}
    rows = []
    for method, title in METHODS.items():
        kind = "rivals" if method in OTHERS else "detection"
        row: list[Any] = [
            records.spread(
                f"{dataset}/{kind}/{setting}",
                *("methods", method, "overall", metric),
                digits=3,
            )
            for setting in PROTOCOLS.values()
            for metric in shown
        ]
        if any(figure is not None for figure in row):
            rows.append([title, *row])
    return Table(
        "metrics",
        f"Other metrics of detection, {dataset}",
        (
            "method",
            *(f"{p}, {metric}" for p in PROTOCOLS for metric in shown.values()),
        ),
        rows,
        (
            interval(records),
            "The threshold of F1 is the one that is best on validation. "
            "Temporal-like: partition of table 2.",
        ),
    )
