r"""What the calendar says, in tables."""

from typing import Any

from pyg_cagp.reproduce import published
from pyg_cagp.reproduce.tables.detection import DATASETS, INTERVAL, METHODS
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Table


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
        ("AUROC of future against held-out past.",),
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
        (INTERVAL,),
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
        weeks = results[0]["weeks"]
        signals = list(weeks[0]["auroc"])
        for start in range(0, len(weeks), 4):
            part = weeks[start : start + 4]
            rows.append(
                (
                    dataset,
                    f"{part[0]['week']} to {part[-1]['week']}",
                    sum(week["num_triples"] for week in part),
                    *(
                        sum(week["auroc"][name] for week in part) / len(part)
                        for name in signals
                    ),
                )
            )
    return Table(
        "arrival",
        "Arriving triples against random tails, AUROC, means of four weeks",
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
    )
