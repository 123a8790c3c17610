r"""Notes below tables, and the figures they name."""

from collections.abc import Callable
from string import Formatter
from typing import Any

from benchmark.paper.tables.figures import PAPER, read
from benchmark.paper.tables.measures import winning_weights
from benchmark.paper.tables.records import Records, walk

SHARED: dict[str, str] = read("tables.yaml")["notes"]


def written(records: Records, dataset: str, notes: list[str]) -> list[str]:
    r"""Returns notes with their figures, but for those that lack one."""
    texts = (_filled(records, dataset, SHARED.get(n, n)) for n in notes)
    return [text for text in texts if text is not None]


def _filled(records: Records, dataset: str, note: str) -> str | None:
    text = ""
    for before, name, setting, _ in Formatter().parse(note):
        text += before
        if name is not None:
            value = FIGURES[name](records, dataset, setting)
            if value is None:
                return None
            text += value
    return text


def _interval(records: Records, dataset: str, setting: str) -> str:
    if records.num_seeds == 1:
        return "One seed."
    return (
        f"Mean over {records.num_seeds} seeds (or the number in brackets) ± "
        "half the width of a 95 % interval (Student's t); without ± where all "
        "seeds agree."
    )


def _counts(records: Records, dataset: str, preset: str) -> str | None:
    r"""Returns the number of test triples of each kind."""
    name = f"{dataset}/detection/temporal-like-{preset}"
    results = records.seeds(name)
    if not results or "counts" not in results[0]:
        return None
    counts = results[0]["counts"]["test"]
    text = _numbers(counts)
    paper = walk(PAPER, ("counts", dataset, preset))
    if paper is None:
        return text
    return f"{text} (paper: {_numbers({kind: paper[kind] for kind in counts})})"


def _numbers(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items())


def _weights(records: Records, dataset: str, setting: str) -> str | None:
    r"""Returns the number of weights with a sum better than both parts."""
    won, tried, limits = (
        winning_weights(records, f"{dataset}/alpha", setting, part)
        for part in ("won", "tried", "range")
    )
    return None if won is None else f"{won} of {tried} ({limits})"


def _resamples(records: Records, dataset: str, part: str) -> str:
    r"""Returns the smallest possible p-value."""
    number = records.inputs(f"/{part}/").get("resamples")
    if number is None:
        return ""
    return (
        f"With {number:,} resamples p cannot be smaller than the number of "
        f"methods / {number + 1:,}."
    )


def _inputs(records: Records, dataset: str, setting: str) -> str:
    r"""Returns an input of the experiments of a kind."""
    part, key = setting.split()
    value = records.inputs(f"/{part}/").get(key, 0)
    if isinstance(value, dict):
        return ", ".join(f"`{name}` {text}" for name, text in value.items())
    return f"{value:,}"


#: The figures that a note may name, with a setting after a colon.
FIGURES: dict[str, Callable[[Records, str, Any], str | None]] = {
    "interval": _interval,
    "counts": _counts,
    "weights": _weights,
    "resamples": _resamples,
    "inputs": _inputs,
}
