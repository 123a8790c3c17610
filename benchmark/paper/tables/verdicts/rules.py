r"""When a claim holds: one rule for each kind of claim."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from benchmark.paper.tables.table import Spread

HOLDS = "holds"
BY_CONSTRUCTION = "holds by construction"
FAILS = "does not hold"
UNTESTED = "cannot be tested here"
MISSING = "not computed yet"

#: Of a mix of variance and coverage on temporal-like partitions. It is no
#: construction, as a variance is no frequency, and no evidence either.
LABELS = f"{HOLDS}, but labels are made of the same two signals"

#: How far the interval of a figure may be from the paper's to be the same.
CLOSE = 0.01

#: Half the width of an interval in which much would hold.
WIDE = 0.02

#: AUROCs between these are near chance.
CHANCE = (0.35, 0.65)

FB = "fb15k-237"


class Claim(NamedTuple):
    r"""A row of the page.

    Args:
        title (str): What the paper says.
        paper (Any): Its figure.
        ours (Any): What is measured, with the model that ships where a model
            is needed.
        recipe (Any): What is measured with the model that is trained as the
            paper says, if the claim needs a model and it was tried.
        verdict (str): What follows.
        command (str): The table that shows it.
    """

    title: str
    paper: Any
    ours: Any
    recipe: Any
    verdict: str
    command: str


def same(ours: Spread | None, paper: float) -> str:
    r"""Returns the verdict on a figure that should be the paper's."""
    if ours is None:
        return MISSING
    side = "higher" if ours.mean > paper else "lower"
    return _within(ours, abs(ours.mean - paper), side)


def not_below(ours: Spread | None, paper: float) -> str:
    r"""Returns the verdict on what a method is said to find."""
    if ours is None:
        return MISSING
    return _within(ours, paper - ours.mean, "lower")


def not_above(ours: Spread | None, paper: float) -> str:
    r"""Returns the verdict on an error that is said to be small."""
    if ours is None:
        return MISSING
    return _within(ours, ours.mean - paper, "higher")


def near_chance(ours: Spread | None) -> str:
    r"""Returns the verdict on what a method is said not to find.

    It is the mean that decides: a figure must not hold because it varies.
    """
    if ours is None:
        return MISSING
    low, high = CHANCE
    if low <= ours.mean <= high:
        return HOLDS
    return f"{FAILS}: {'above' if ours.mean > high else 'below'} chance here"


def by_recipe(
    rule: Callable[[Spread | None], str],
    ours: Spread | None,
    recipe: Spread | None,
) -> str:
    r"""Returns the verdict with the model that is trained as the paper says,
    where there is one, and says if that of the model that ships is another.

    Args:
        rule (callable): Returns the verdict on a figure.
        ours (Spread): The figure of the model that ships.
        recipe (Spread): The figure of the other.
    """
    verdict = rule(recipe or ours)
    if recipe is None or ours is None:
        return verdict
    return _unless(verdict, rule(ours), "with the model that ships")


def by_measure(
    rule: Callable[[Spread | None], str],
    ours: Spread | None,
    other: Spread | None,
    name: str,
) -> str:
    r"""Returns the verdict on a method by one measure of its doubt, and says if
    that by another one is another.

    Args:
        rule (callable): Returns the verdict on a figure.
        ours (Spread): The figure by the one measure.
        other (Spread): The figure by the other, if there is one.
        name (str): What the other is called.
    """
    verdict = rule(ours)
    if ours is None or other is None:
        return verdict
    return _unless(verdict, rule(other), f"by its {name}, {other},")


def on_each(verdicts: Mapping[str, str]) -> str:
    r"""Returns one verdict where a claim does not say of what it is.

    Args:
        verdicts (mapping): The verdicts by what it may be of.
    """
    kept = {
        place: verdict.startswith(HOLDS) for place, verdict in verdicts.items()
    }
    held, failed = (
        [place for place, holds in kept.items() if holds == wanted]
        for wanted in (True, False)
    )
    if not failed or not held:
        told = set(verdicts.values())
        # All for the same reason, if there is one.
        return told.pop() if len(told) == 1 else HOLDS if held else FAILS
    return f"{FAILS} on {listed(failed)}; {HOLDS} on {listed(held)}"


def listed(names: Sequence[str]) -> str:
    r"""Returns names as one writes them in a sentence.

    Example:
        >>> listed(["a", "b", "c"])
        'a, b and c'
    """
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _unless(verdict: str, other: str, when: str) -> str:
    r"""Returns a verdict, with another one if it comes out the other way."""
    if verdict.startswith(HOLDS) == other.startswith(HOLDS):
        return verdict
    does = "holds" if other.startswith(HOLDS) else "does not"
    return f"{verdict}; {when} it {does}"


def _within(ours: Spread, away: float, side: str) -> str:
    r"""Returns the verdict on a figure that is some way off, and says if it
    holds only because it varies a lot.
    """
    half = ours.half or 0.0
    if away > CLOSE + half:
        return f"{FAILS}: {side} here"
    if away > CLOSE and half > WIDE:
        return f"{HOLDS}, {side} but within a wide interval"
    return HOLDS
