r"""How long the records took."""

from typing import Any

from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table


def effort(records: Records) -> Table:
    r"""The time of all cells, by graph."""
    cells: dict[str, int] = {}
    judged: dict[str, float] = {}
    others: dict[str, float] = {}
    for name in records.names:
        record = records.store.read(name) or {}
        dataset, _, rest = name.partition("/")
        cells[dataset] = cells.get(dataset, 0) + 1
        judged.setdefault(dataset, 0.0)
        others.setdefault(dataset, 0.0)
        found = judged if rest.startswith("models/") else others
        found[dataset] += seconds_of(record)
    rows: list[tuple[Any, ...]] = [
        (
            dataset,
            count,
            _hours(judged[dataset]),
            _hours(others[dataset]),
            _hours(judged[dataset] + others[dataset]),
        )
        for dataset, count in cells.items()
    ]
    if rows:
        total = sum(judged.values()), sum(others.values())
        hours = [_hours(seconds) for seconds in (*total, sum(total))]
        rows.append(("all", sum(cells.values()), *hours))
    return Table(
        "effort",
        "Hours of computing",
        ("dataset", "records", "judged models", "all else", "together"),
        rows,
        (
            "The time of every cell, added up, and that of training and of "
            "the posterior where a cell found its model trained already. With "
            "`--jobs 2` two cells are computed at a time, so that about half "
            "as much time passes, which the command tells when it ends. Times "
            "vary with the machine and with what else it does.",
        ),
    )


def seconds_of(record: dict[str, Any]) -> float:
    r"""Returns the time of a cell; a model that was there already counts with
    the time of its training.
    """
    spent = float(record.get("seconds", 0.0))
    trained = record.get("result", {}).get("seconds", {})
    parts = [trained.get(part, 0.0) for part in ("training", "posterior")]
    return spent + sum(parts) if spent < sum(parts) else spent


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:.2f}"
