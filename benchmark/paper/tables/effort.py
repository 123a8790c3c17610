r"""The time of computing the records."""

from typing import Any

from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table

COLUMNS = ("dataset", "records", "models", "all else", "together")

NOTE = (
    "The sum of the times of all experiments. If an experiment reads a trained "
    "model, the time of training and of the posterior is added. Experiments "
    "that run at the same time take less time together. Times vary with the "
    "machine and its load."
)


def effort(records: Records) -> Table:
    r"""Returns the time of all experiments, by graph."""
    # By graph: the number of records, seconds of models, and of all else.
    sums: dict[str, list[float]] = {}
    for name in records.names:
        dataset, _, rest = name.partition("/")
        record = records.store.read(name)
        seconds = 0.0 if record is None else _seconds_of(record)
        for row in ("all", dataset):
            numbers = sums.setdefault(row, [0, 0.0, 0.0])
            numbers[0] += 1
            numbers[1 if rest.startswith("models/") else 2] += seconds
    rows = [
        (title, int(count), *map(_hours, (models, others, models + others)))
        for title, (count, models, others) in sums.items()
    ]
    rows = [*rows[1:], *rows[:1]]
    return Table("effort", "Hours of computing", COLUMNS, rows, (NOTE,))


def _seconds_of(record: dict[str, Any]) -> float:
    r"""Returns the time of an experiment; a model that was there already counts
    with the time of its training.
    """
    spent = float(record["provenance"]["seconds"])
    trained = record["result"].get("seconds", {})
    parts = [trained.get(part, 0.0) for part in ("training", "posterior")]
    return spent + sum(parts) if spent < sum(parts) else spent


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:.2f}"
