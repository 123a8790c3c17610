r"""The functions that tables and claims name in YAML.

Some take figures. Others take the records, the name of an experiment without
its seed, and further arguments from YAML; they return :obj:`None` if there
is no record.
"""

from typing import Any

from benchmark.paper.tables.records import Records, home, twin
from benchmark.paper.tables.spread import Spread

#: How far from the limit a figure may be to hold.
CLOSE = 0.01

PROBABILITY = "max probability"


def gain(mix: Any, *parts: Any) -> Spread:
    r"""Returns the gain of a weighted sum over its better part."""
    return Spread(float(mix) - max(map(float, parts)))


def share(part: int, rest: int) -> float | None:
    r"""Returns the share of a count in the sum of two."""
    return part / (part + rest) if part + rest else None


def increase(figure: Any, *others: Any) -> float:
    r"""Returns the relative increase of a figure over the largest of others."""
    return float(figure) / max(map(float, others)) - 1


def width(*figures: Any) -> float:
    r"""Returns the difference of the largest and the smallest figure."""
    return max(map(float, figures)) - min(map(float, figures))


def fewer(answered: float, overall: float) -> float | None:
    r"""Returns the relative reduction of errors between two accuracies."""
    return 1 - (1 - answered) / (1 - overall) if overall < 1 else None


def equal(*figures: Any) -> bool:
    r"""Returns whether the first half of some figures equals the second."""
    half = len(figures) // 2
    return figures[:half] == figures[half:]


def fewer_errors(records: Records, name: str, method: str) -> Spread | None:
    r"""Returns the relative reduction of errors if a method chooses the 85 %
    of queries that are answered.
    """
    name = home(name, method)
    path = ("methods", method, "selective", "0.85", "accuracy")
    accuracies = records.values(name, *path), records.values(name, "accuracy")
    shares = map(fewer, *accuracies)
    return records.spread_of([s for s in shares if s is not None], 3)


def winning_weights(
    records: Records, name: str, setting: str, part: str = "won"
) -> Any:
    r"""Returns the weights of U_sem with which a mix is better than both its
    parts, with every seed: :obj:`won` (how many), of how many :obj:`tried`, or
    their :obj:`range`.
    """
    sweeps = [result[setting] for result in records.seeds(name)]
    if not sweeps:
        return None
    # A weight of 0 or 1 leaves one of the parts.
    tried = list(enumerate(sweeps[0]["alpha"]))[1:-1]
    areas = [sweep["auroc"] for sweep in sweeps]
    won = [
        weight
        for place, weight in tried
        if all(area[place] > max(area[0], area[-1]) for area in areas)
    ]
    limits = f"{min(won):g} to {max(won):g}" if won else "none"
    return {"won": len(won), "tried": len(tried), "range": limits}[part]


def difference(records: Records, name: str, method: str) -> str | None:
    r"""Returns by how much CAGP is better than a method with seed 0, and the
    p-value.
    """
    for row in _comparisons(records, name):
        if (row["first"], row["second"]) == ("cagp", method):
            return f"{row['difference']:+.4f}, p {row['p_bootstrap_holm']:.4f}"
    return None


def compared(records: Records, name: str, part: str) -> Any:
    r"""Returns how CAGP compares with all methods except its variants: the
    largest :obj:`p`, the least :obj:`difference`, or how many
    :obj:`methods`.
    """
    rows = [
        row
        for row in _comparisons(records, name)
        if row["first"] == "cagp"
        and not row["second"].startswith(("cagp", "evidence"))
    ]
    if not rows:
        return None
    return {
        "p": max(row["p_bootstrap_holm"] for row in rows),
        "difference": min(row["difference"] for row in rows),
        "methods": len(rows),
    }[part]


def against_probability(records: Records, name: str, method: str) -> str | None:
    r"""Returns whether a method ranks errors better than the maximum
    probability, with how many seeds, and its p-value.
    """
    results = [
        result
        for result in records.seeds(home(name, method))
        if {PROBABILITY, method} <= result["methods"].keys()
    ]
    methods = [result["methods"] for result in results]
    gains = [m[PROBABILITY]["aurc"] - m[method]["aurc"] for m in methods]
    for row in results[0].get("comparisons", []) if results else []:
        if {row["first"], row["second"]} == {PROBABILITY, method}:
            better = gains[0] > 0
            agree = sum((gain > 0) == better for gain in gains)
            return (
                f"{'better' if better else 'worse'} in {agree} of "
                f"{len(gains)}, p {row['p_bootstrap_holm']:.4f}"
            )
    return None


def leaks(records: Records, name: str, near: float, part: str) -> Any:
    r"""Compares scales that see labels with a figure. Returns the number of
    scales :obj:`close` to it, the number of :obj:`scales`, or the
    :obj:`nearest` one.
    """
    figures = [
        records.spread(name, signal, key, digits=3)
        for result in records.seeds(name)[:1]
        for signal, scales in result.items()
        for key in (scales if isinstance(scales, dict) else ())
        if key.startswith("as published")
    ]
    ranked = sorted(
        (figure for figure in figures if figure is not None),
        key=lambda figure: abs(figure.mean - near),
    )
    if not ranked:
        return None
    close = sum(abs(figure.mean - near) <= CLOSE for figure in ranked)
    return {"close": close, "scales": len(ranked), "nearest": ranked[0]}[part]


def better(
    records: Records,
    name: str,
    methods: list[str],
    path: list[str],
    lowest: bool = False,
) -> int | None:
    r"""Returns how many methods are better than the first of them, by the
    figure at the end of a path.
    """
    figures = [records.spread(name, "methods", m, *path) for m in methods]
    means = [figure.mean for figure in figures if figure is not None]
    if len(means) < len(methods):
        return None
    first, *others = (-mean for mean in means) if lowest else means
    return sum(other > first for other in others)


def _comparisons(records: Records, name: str) -> list[dict[str, Any]]:
    return [
        row
        for part in (name, twin(name))
        for result in records.seeds(part)[:1]
        for row in result.get("comparisons", [])
    ]
