r"""What the calendar says, in tables."""

from typing import Any

from benchmark.paper import published
from benchmark.paper.tables.detection import DATASETS, METHODS, interval
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table


def composition(records: Records) -> Table:
    r"""What the future of dated graphs consists of."""
    rows = []
    for dataset in records.datasets(DATASETS):
        found = records.one(f"{dataset}/composition")
        if found is None:
            continue
        future = found["future"]
        ood = future["emerging"] + future["novel"]
        paper = published.COMPOSITION.get(dataset)
        rows.append(
            (
                dataset,
                *(future[kind] for kind in ("id", "novel", "emerging")),
                future["novel"] / ood if ood else None,
                paper[0] if paper else None,
                found["share of repeats"],
                found["structural"]["all"],
                found["structural"]["without repeats"],
                found["frequency"]["all"],
                found["frequency"]["without repeats"],
            )
        )
    return Table(
        "composition",
        "The future, by what was known before",
        (
            "dataset",
            "ID",
            "novel",
            "emerging",
            "share of novel among OOD",
            "paper",
            "repeats",
            "U_str AUROC",
            "without repeats",
            "1 / (1 + frequency) AUROC",
            "without repeats",
        ),
        rows,
        (
            "Partition `stated`. AUROC of the future against held-out triples "
            "of the past; repeats are triples that were known before.",
        ),
    )


def timestamp(records: Records) -> Table:
    r"""Held-out past against future, for every quick method."""
    datasets = [
        d for d in records.datasets(DATASETS) if records.seeds(f"{d}/timestamp")
    ]
    rows = []
    for method, title in METHODS.items():
        row: list[Any] = [title]
        for dataset in datasets:
            for part in ("overall", "without repeats"):
                row.append(
                    records.spread(
                        f"{dataset}/timestamp", "methods", method, part, "auroc"
                    )
                )
        if any(cell is not None for cell in row[1:]):
            rows.append(row)
    columns = ["method"]
    for dataset in datasets:
        columns += [dataset, "without repeats"]
    return Table(
        "timestamp",
        "Future against held-out past, AUROC",
        columns,
        rows,
        (
            interval(records),
            "Estimators are fitted on a future of validation, which lies "
            "before that of test. Models and coverage know what came before "
            "both, in ICEWS14 a month less than in table `composition`. "
            "Methods that train models of their own, and those that score all "
            "tails of a query, would have to do so again on this earlier past, "
            "which was not done.",
        ),
    )


def arrival(records: Records) -> Table:
    r"""Detection week by week, with and without bringing evidence up to
    date.
    """
    rows = []
    for dataset in records.datasets(DATASETS):
        results = records.seeds(f"{dataset}/arrival")
        if not results:
            continue
        cell = f"{dataset}/arrival"
        weeks = results[0]["weeks"]
        for start in range(0, len(weeks), 4):
            part = range(start, min(start + 4, len(weeks)))
            rows.append(
                (
                    dataset,
                    f"{part[0] + 1} to {part[-1] + 1}",
                    sum(weeks[week]["num_triples"] for week in part),
                    *(
                        records.spread_of(
                            [
                                sum(r["weeks"][w]["auroc"][name] for w in part)
                                / len(part)
                                for r in records.seeds(cell)
                            ]
                        )
                        for name in weeks[0]["auroc"]
                    ),
                )
            )
    return Table(
        "arrival",
        "Arriving triples against random tails, AUROC, means over weeks",
        (
            "dataset",
            "weeks",
            "triples",
            "U_sem, frozen",
            "U_str smoothed, frozen",
            "U_str smoothed, updated",
            "U_sem, updated",
        ),
        rows,
        (interval(records),),
    )
