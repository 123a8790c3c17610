r"""How long the records took."""

from collections.abc import Iterable
from typing import Any

from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table

NOTE = (
    "The time of every experiment, added up, and that of training and of the "
    "posterior where an experiment read a model that was trained already. "
    "Experiments that run at the same time take less time together. Times "
    "vary with the machine and with its load."
)


class Effort:
    r"""The time of all experiments, by graph."""

    heading = "Hours of computing"
    one_graph = False

    def reads(self, record: str) -> bool:
        r"""Returns that it needs no record, though it reads all there are."""
        return False

    def make(self, records: Records) -> Table:
        r"""Returns the table of some records."""
        seconds: dict[str, dict[bool, list[float]]] = {}
        for name in records.names:
            dataset, _, rest = name.partition("/")
            parts = seconds.setdefault(dataset, {True: [], False: []})
            record = records.store.read(name)
            if record is not None:
                parts[rest.startswith("models/")].append(_seconds_of(record))
        rows = [
            _row(dataset, parts[True], parts[False])
            for dataset, parts in seconds.items()
        ]
        if rows:
            models, others = (
                [s for parts in seconds.values() for s in parts[is_model]]
                for is_model in (True, False)
            )
            rows.append(_row("all", models, others))
        columns = ("dataset", "records", "models", "all else", "together")
        return Table("effort", self.heading, columns, rows, (NOTE,))


def _row(
    title: str, models: Iterable[float], others: Iterable[float]
) -> tuple[Any, ...]:
    models, others = list(models), list(others)
    times = sum(models), sum(others), sum(models) + sum(others)
    hours = (f"{seconds / 3600:.2f}" for seconds in times)
    return title, len(models) + len(others), *hours


def _seconds_of(record: dict[str, Any]) -> float:
    r"""Returns the time of an experiment; a model that was there already counts
    with the time of its training.
    """
    spent = float(record["provenance"]["seconds"])
    trained = record["result"].get("seconds", {})
    parts = [trained.get(part, 0.0) for part in ("training", "posterior")]
    return spent + sum(parts) if spent < sum(parts) else spent
