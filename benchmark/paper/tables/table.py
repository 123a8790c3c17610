r"""A table, and how it is printed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmark.paper.tables.spread import Spread


@dataclass(frozen=True)
class Table:
    r"""What is printed, in Markdown or as JSON.

    Args:
        name (str): The name, as given on the command line.
        title (str): The heading.
        columns (sequence): The headings of columns.
        rows (sequence): The entries of each row.
        notes (sequence, optional): Sentences below it.
        if_empty (sequence, optional): Sentences in its place, if there are no
            records for it.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str] = field(default_factory=tuple)
    if_empty: Sequence[str] = field(default_factory=tuple)

    def to_markdown(self, level: int = 3) -> str:
        r"""Returns the table in Markdown.

        Example:
            >>> table = Table("mine", "Mine", ("a", "b"), [("x", 0.5)])
            >>> print(table.to_markdown().splitlines()[-1])
            | x | 0.5000 |
        """
        lines = [f"{'#' * level} {self.title}", ""]
        if not self.rows:
            lines.append("There are no records for this table.")
            for note in self.if_empty:
                lines += ["", note]
            return "\n".join(lines)
        lines.append(f"| {' | '.join(self.columns)} |")
        lines.append(f"|{'---|' * len(self.columns)}")
        for row in self.rows:
            lines.append(f"| {' | '.join(map(show, row))} |")
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        r"""Returns the table, ready for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "columns": list(self.columns),
            "rows": [[_plain(value) for value in row] for row in self.rows],
            "notes": list(self.notes if self.rows else self.if_empty),
        }


def show(value: Any) -> str:
    r"""Returns an entry as text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _plain(value: Any) -> Any:
    if not isinstance(value, Spread):
        return value
    figure = {"mean": value.mean, "half_width": value.half}
    return figure if value.seeds is None else figure | {"seeds": value.seeds}
