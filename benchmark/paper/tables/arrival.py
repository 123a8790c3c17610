r"""Detection week by week, with and without updates."""

from collections.abc import Iterator
from typing import Any

from benchmark.paper.tables.notes import written
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table

TITLE = "Arriving triples against random tails, AUROC, means over weeks"

COLUMNS = (
    "dataset",
    "weeks",
    "triples",
    "U_sem, frozen",
    "U_str smoothed, frozen",
    "U_str smoothed, updated",
    "U_sem, updated",
)

#: The number of weeks in one row.
WEEKS = 4


def arrival(records: Records) -> Table:
    r"""Returns AUROCs of arriving triples, in means over weeks."""
    rows = [row for d in records.datasets() for row in _rows(records, d)]
    notes = written(records, "", ["interval"])
    return Table("arrival", TITLE, COLUMNS, rows, notes)


def _rows(records: Records, dataset: str) -> Iterator[tuple[Any, ...]]:
    runs = [result["weeks"] for result in records.seeds(f"{dataset}/arrival")]
    for start in range(0, len(runs[0]) if runs else 0, WEEKS):
        parts = [weeks[start : start + WEEKS] for weeks in runs]
        first = parts[0]
        means = (
            records.spread_of([_mean(part, signal) for part in parts])
            for signal in first[0]["auroc"]
        )
        yield (
            dataset,
            f"{start + 1} to {start + len(first)}",
            sum(week["num_triples"] for week in first),
            *means,
        )


def _mean(weeks: list[dict[str, Any]], signal: str) -> float:
    return sum(week["auroc"][signal] for week in weeks) / len(weeks)
