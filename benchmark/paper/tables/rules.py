r"""When a claim holds: five rules."""

from collections.abc import Callable, Mapping, Sequence

from benchmark.paper.tables.measures import CLOSE
from benchmark.paper.tables.spread import Spread

HOLDS = "holds"
FAILS = "does not hold"
WIDELY = f"{HOLDS} within a wide interval"
PARTLY = "partly holds"

#: The note on a sum of variance and coverage on temporal-like partitions. Its
#: figures are weak evidence, though they do not follow from a definition.
LABELS = "The labels are made of the same two signals."

#: The note on a figure that is off by more than the margin.
WIDE_INTERVAL = "It holds only because the interval is wide."

#: Half the width of an interval that is called wide.
WIDE = 0.02

#: AUROCs between these are near chance.
CHANCE = (0.35, 0.65)

#: The verdict on a figure, given a limit and a margin.
Rule = Callable[[Spread, float, float], str]


def same(ours: Spread, limit: float, margin: float = CLOSE) -> str:
    r"""Returns whether a figure equals the limit."""
    return _within(ours, abs(ours.mean - limit), margin)


def not_below(ours: Spread, limit: float, margin: float = CLOSE) -> str:
    r"""Returns whether a figure reaches the limit."""
    return _within(ours, limit - ours.mean, margin)


def not_above(ours: Spread, limit: float, margin: float = CLOSE) -> str:
    r"""Returns whether a figure does not exceed the limit."""
    return _within(ours, ours.mean - limit, margin)


def near_chance(ours: Spread, limit: float = 0.5, margin: float = 0.0) -> str:
    r"""Returns whether an AUROC is near chance.

    The mean decides, so a wide interval does not make a claim hold.
    """
    low, high = CHANCE
    return HOLDS if low <= ours.mean <= high else FAILS


def less(ours: Spread, limit: float, margin: float = 0.0) -> str:
    r"""Returns whether the mean of a figure is below the limit."""
    return HOLDS if ours.mean < limit else FAILS


RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (same, not_below, not_above, near_chance, less)
}


def on_each(verdicts: Mapping[str, str]) -> tuple[str, str]:
    r"""Returns one verdict of several figures, and a note if they differ."""
    holding, failing = (
        [of for of, text in verdicts.items() if text.startswith(HOLDS) == holds]
        for holds in (True, False)
    )
    if holding and failing:
        note = f"It holds on {listed(holding)}, and not on {listed(failing)}."
        return PARTLY, note
    texts = set(verdicts.values())
    return (texts.pop() if len(texts) == 1 else HOLDS), ""


def unless(verdict: str, other: str, when: str) -> str:
    r"""Returns a note on another verdict, if it differs."""
    if verdict.startswith(HOLDS) == other.startswith(HOLDS):
        return ""
    return f"{when}, it {HOLDS if other.startswith(HOLDS) else FAILS}."


def listed(names: Sequence[str]) -> str:
    r"""Returns names as a list in a sentence.

    Example:
        >>> listed(["a", "b", "c"])
        'a, b and c'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _within(ours: Spread, distance: float, margin: float) -> str:
    r"""Returns the verdict on a figure at some distance from its limit, and
    whether it holds only because its interval is wide.
    """
    half = ours.half or 0.0
    if distance > margin + half:
        return FAILS
    return WIDELY if distance > margin and half > WIDE else HOLDS
