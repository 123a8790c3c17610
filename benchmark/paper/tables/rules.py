r"""When a claim holds: five rules."""

from collections.abc import Callable, Mapping, Sequence

from benchmark.paper.tables.measures import CLOSE
from benchmark.paper.tables.spread import Spread

HOLDS = "holds"
FAILS = "does not hold"
WIDELY = f"{HOLDS} within a wide interval"

#: Of a mix of variance and coverage on temporal-like partitions. It is no
#: construction, as a variance is no frequency, and no evidence either.
LABELS = f"{HOLDS}, but labels are made of the same two signals"

#: Half the width of an interval in which many figures would hold.
WIDE = 0.02

#: AUROCs between these are near chance.
CHANCE = (0.35, 0.65)

#: The verdict on a figure, beside a limit and the margin that is left to it.
Rule = Callable[[Spread, float, float], str]


def same(ours: Spread, limit: float, margin: float = CLOSE) -> str:
    r"""Returns whether a figure is the limit."""
    return _within(ours, abs(ours.mean - limit), margin)


def not_below(ours: Spread, limit: float, margin: float = CLOSE) -> str:
    r"""Returns whether a figure reaches the limit."""
    return _within(ours, limit - ours.mean, margin)


def not_above(ours: Spread, limit: float, margin: float = CLOSE) -> str:
    r"""Returns whether a figure does not exceed the limit."""
    return _within(ours, ours.mean - limit, margin)


def near_chance(ours: Spread, limit: float = 0.5, margin: float = 0.0) -> str:
    r"""Returns whether an AUROC is near chance.

    The mean decides: a figure must not hold because it varies.
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


def on_each(verdicts: Mapping[str, str]) -> str:
    r"""Returns one verdict of several figures."""
    held, failed = (
        [of for of, text in verdicts.items() if text.startswith(HOLDS) == holds]
        for holds in (True, False)
    )
    if held and failed:
        return f"{FAILS} on {listed(failed)}; {HOLDS} on {listed(held)}"
    texts = set(verdicts.values())
    return texts.pop() if len(texts) == 1 else HOLDS


def unless(verdict: str, other: str, when: str) -> str:
    r"""Returns how another verdict differs, if it does."""
    if verdict.startswith(HOLDS) == other.startswith(HOLDS):
        return ""
    return f"{when} it {HOLDS if other.startswith(HOLDS) else 'does not'}"


def listed(names: Sequence[str]) -> str:
    r"""Returns names as a list in a sentence.

    Example:
        >>> listed(["a", "b", "c"])
        'a, b and c'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _within(ours: Spread, away: float, margin: float) -> str:
    r"""Returns the verdict on a figure that is some way off, and whether it
    holds only because it varies a lot.
    """
    half = ours.half or 0.0
    if away > margin + half:
        return FAILS
    return WIDELY if away > margin and half > WIDE else HOLDS
