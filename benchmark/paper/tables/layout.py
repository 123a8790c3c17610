r"""Tables laid out in YAML: rows, columns, and the figure of each entry."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from benchmark.paper.tables.figures import (
    SEPARATOR,
    does_read,
    figure,
    fill,
    read,
)
from benchmark.paper.tables.notes import written
from benchmark.paper.tables.records import DATASETS, Records, walk
from benchmark.paper.tables.table import Table

#: The contents of :obj:`tables.yaml`.
WRITTEN: dict[str, Any] = read("tables.yaml")

#: The methods, in the order of rows, as they are called in tables.
METHODS: dict[str, str] = WRITTEN["methods"]

#: Keys of a column that are not of its figure.
ABOUT = ("heading", "key", "dataset")

Row = dict[str, Any]


@dataclass(frozen=True)
class Layout:
    r"""Rows, columns, and the figure of each entry. A row or a column without
    any measured figure is left out.

    Args:
        name (str): The name of the table.
        title (str): Its heading.
        columns (list): Columns, each with a :obj:`heading` and one of
            :obj:`label` (a text), :obj:`figure` or another specification of
            :func:`~benchmark.paper.tables.figures.figure`. A column may have
            a :obj:`paper` column after it.
        by_dataset (list, optional): Columns that are there for each graph.
        rows (list, optional): Rows: :obj:`methods`, :obj:`{each: reference}`
            (one for each key there), or dictionaries of names that columns
            use. The key :obj:`entries` of a row has its entries.
        notes (list, optional): Sentences below it.
        if_empty (list, optional): Sentences in its place.
        one_graph (bool, optional): Whether it shows one graph, the first that
            has figures. (default: :obj:`False`)
    """

    name: str
    title: str
    columns: list[dict[str, Any]]
    by_dataset: list[dict[str, Any]] = field(default_factory=list)
    rows: list[Any] = field(default_factory=lambda: [{}])
    notes: list[str] = field(default_factory=list)
    if_empty: list[str] = field(default_factory=list)
    one_graph: bool = False

    def make(self, records: Records) -> Table:
        r"""Returns the table of some records."""
        datasets = records.datasets()
        if not self.one_graph:
            return self._make(records, datasets)
        made = (self._make(records, [d]) for d in datasets or DATASETS[:1])
        first = next(made)
        return next((t for t in (first, *made) if t.rows), first)

    def reads(self, record: str) -> bool:
        r"""Returns whether a record has figures of the table."""
        return does_read(list(self._specs()), record)

    def _make(self, records: Records, datasets: list[str]) -> Table:
        columns = list(self._columns(datasets))
        rows = []
        for names in self._rows(records, datasets):
            row = [_entry(records, names, column) for column in columns]
            measured = (
                value is not None
                for value, column in zip(row, columns, strict=True)
                if _is_measured(column)
            )
            if any(measured):
                rows.append(row)
        shown = [p for p in range(len(columns)) if _is_shown(rows, columns, p)]
        first = datasets[0] if datasets else DATASETS[0]
        return Table(
            self.name,
            fill(self.title, {"dataset": first}),
            [columns[place]["heading"] for place in shown],
            [[row[place] for place in shown] for row in rows],
            written(records, first, self.notes) if rows else [],
            self.if_empty,
        )

    def _columns(self, datasets: list[str]) -> Iterator[dict[str, Any]]:
        for column in self.columns:
            yield from _with_paper(column)
        for dataset in datasets:
            for column in self.by_dataset:
                for part in _with_paper(column):
                    heading = part["heading"].replace("$dataset", dataset)
                    yield {**part, "heading": heading, "dataset": dataset}

    def _specs(self) -> Iterator[Any]:
        r"""Yields the references of entries, with a :obj:`*` for any graph,
        method or key.
        """
        anything = {"dataset": "*", "method": "*", "key": "*", "title": "*"}
        for row in self.rows:
            is_one = isinstance(row, dict) and "each" not in row
            names = {"dataset": "*", **row} if is_one else anything
            for column in (*self.columns, *self.by_dataset):
                with suppress(KeyError):  # The row has no such entry.
                    yield fill(column, names)
            if isinstance(row, dict):
                yield [row.get("each"), row.get("entries")]

    def _rows(self, records: Records, datasets: list[str]) -> Iterator[Row]:
        by_row = [{"dataset": d} for d in datasets]
        for names in [{}] if self.by_dataset else by_row:
            for row in self.rows:
                if row == "methods":
                    for method, title in METHODS.items():
                        yield {**names, "method": method, "title": title}
                elif "each" in row:
                    for key in _keys(records, names["dataset"], row["each"]):
                        yield {**names, "key": key}
                elif row.get("only") in (None, names.get("dataset")):
                    yield {**names, **row}


def _entry(records: Records, row: Row, column: dict[str, Any]) -> Any:
    names = {**row, "dataset": column.get("dataset", row.get("dataset"))}
    spec = row.get("entries", {}).get(column["key"], column)
    try:
        spec = fill(spec, names)
    except KeyError:  # The row has no such entry.
        return None
    if "label" in spec:
        return spec["label"]
    spec = {k: v for k, v in spec.items() if k not in ABOUT}
    return figure(records, spec, names["dataset"])


def _is_measured(column: dict[str, Any]) -> bool:
    return "label" not in column and "paper" not in column["heading"]


def _is_shown(
    rows: list[list[Any]], columns: list[dict[str, Any]], place: int
) -> bool:
    r"""Returns whether a column has a figure; a paper column, whether it and
    the column before it have one.
    """
    column = columns[place]
    if "label" in column or not rows:
        return "dataset" not in column
    if column["heading"] == "paper" and not _is_shown(rows, columns, place - 1):
        return False
    return any(row[place] is not None for row in rows)


def _with_paper(column: dict[str, Any]) -> Iterator[dict[str, Any]]:
    r"""Yields a column, and that of the paper's figures, if it has one."""
    heading, paper = column["heading"], column.get("paper")
    spec = {k: v for k, v in column.items() if k != "paper"}
    yield {"key": heading, **spec}
    if paper is not None:
        if isinstance(paper, str):
            paper = {"figure": f"paper{SEPARATOR}{paper}"}
        yield {"key": f"paper of {heading}", "heading": "paper", **paper}


def _keys(records: Records, dataset: str, reference: str) -> list[str]:
    name, *path = reference.split(SEPARATOR)
    name = f"{dataset}/{name}"
    result = records.one(name)
    if result is None:
        result = next(iter(records.seeds(name)), {})
    return list(walk(result, path) or ())
