r"""A table, and how it is printed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Table:
    r"""What is printed, in Markdown or as JSON.

    Args:
        name (str): The name, as given on the command line.
        title (str): The heading.
        columns (sequence): The headings of columns.
        rows (sequence): The cells of each row.
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

        Args:
            level (int, optional): The level of the heading.
                (default: :obj:`3`)

        Example:
            >>> table = Table("mine", "Mine", ("a", "b"), [("x", 0.5)])
            >>> print(table.to_markdown().splitlines()[-1])
            | x | 0.5000 |
        """
        lines = [f"{'#' * level} {self.title}", ""]
        if not self.has_figures():
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

    def has_figures(self) -> bool:
        r"""Returns whether anything is there but titles and the paper's own
        figures.
        """
        return any(
            cell is not None
            for row in self.rows
            for column, cell in list(zip(self.columns, row, strict=True))[1:]
            if column != "paper"
        )

    def to_dict(self) -> dict[str, Any]:
        r"""Returns the table, ready for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "columns": list(self.columns),
            "rows": [[_plain(value) for value in row] for row in self.rows],
            "notes": list(self.notes if self.has_figures() else self.if_empty),
        }


@dataclass(frozen=True)
class Spread:
    r"""A figure over seeds: its mean, and half the width of its interval.

    Args:
        mean (float): The mean.
        half (float, optional): Half the width, if there are several seeds.
        digits (int, optional): How many digits are shown.
            (default: :obj:`4`)
        seeds (int, optional): How many seeds there are, if fewer than of other
            figures. (default: :obj:`None`)
    """

    mean: float
    half: float | None = None
    digits: int = 4
    seeds: int | None = None

    def __str__(self) -> str:
        text = f"{self.mean:.{self.digits}f}"
        # Where seeds make no difference, there is no interval to speak of.
        if self.half:
            text += f" ± {self.half:.{self.digits}f}"
        if self.seeds is not None:
            text += f" (of {self.seeds})"
        return text


def show(value: Any) -> str:
    r"""Returns a cell as text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Spread):
        found = {"mean": value.mean, "half_width": value.half}
        return found if value.seeds is None else found | {"seeds": value.seeds}
    return value
