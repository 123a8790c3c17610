r"""The three sentences that open the page."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pyg_cagp.report.curves import interval

#: Uncertainties with a smaller AUROC are not recommended.
MIN_AUROC = 0.6

#: The answers of a kind, in words.
KIND_WORDS = {
    "emerging": "answers about entities that are rare in training",
    "novel": "answers with an entity that has no such relation in training",
}


class Summary(NamedTuple):
    r"""How good the model is, which predictions not to trust, what to do."""

    quality: str
    distrust: str
    action: str


class Best(NamedTuple):
    r"""The uncertainty with the largest AUROC."""

    name: str
    auroc: float


def summarize(record: dict[str, Any]) -> Summary:
    r"""Returns the three sentences.

    Args:
        record (dict): The record of :func:`~pyg_cagp.report.gather`.
    """
    ranking, errors = record["ranking"], record["errors"]
    detector = _detector(record["detection"])
    selector = None if errors is None else _selector(errors)
    if errors is None:
        distrust = _distrust_triples(detector)
    else:
        distrust = _distrust_answers(errors, selector)
    if not _better_than_chance(ranking):
        action = "Train longer or choose another model before you use answers."
    elif selector is not None:
        action = _select(errors, selector)
    else:
        action = _check(errors, detector)
    return Summary(_quality(ranking), distrust, action)


def widest_protocol(detected: dict[str, Any]) -> str | None:
    r"""Returns the protocol with the most kinds of OOD triples."""
    sizes = {name: len(part["counts"]) for name, part in detected.items()}
    return max(sizes, key=sizes.__getitem__, default=None)


def _best(areas: Mapping[str, float | None]) -> Best | None:
    useful = (Best(n, a) for n, a in areas.items() if a and a >= MIN_AUROC)
    return max(useful, key=lambda method: method.auroc, default=None)


def _detector(detected: dict[str, Any]) -> Best | None:
    protocol = widest_protocol(detected)
    methods = detected[protocol]["methods"] if protocol else {}
    return _best({name: m["overall"]["auroc"] for name, m in methods.items()})


def _selector(errors: dict[str, Any]) -> Best | None:
    methods = errors["methods"]
    best = _best({name: method["auroc"] for name, method in methods.items()})
    if best is None:
        return None
    accuracy = methods[best.name]["selective"]["0.85"]["accuracy"]
    return best if (accuracy or 0) > errors["accuracy"] else None


def _better_than_chance(ranking: dict[str, Any]) -> bool:
    # AMRI is 0 for a guess, with a standard error of 1 / sqrt(3 n).
    sides = ranking["by_side"].values()
    num = sum(side["num"] for side in sides)
    amri = sum(side["num"] * side["amri"] for side in sides) / num
    return amri > 2 / math.sqrt(3 * num)


def _quality(ranking: dict[str, Any]) -> str:
    first, ten = ranking["hits@1"], ranking["hits@10"]
    if not _better_than_chance(ranking):
        words = "is not better than guessing"
    elif first > 0.5:
        words = "is right more often than wrong"
    elif ten > 0.5:
        words = "is good enough for a list of ten answers, not for one answer"
    else:
        words = "is weak"
    return (
        f"The model {words}: it ranks the right entity first for {first:.1%} "
        f"of the test queries and among the first ten for {ten:.1%}."
    )


def _distrust_answers(errors: dict[str, Any], selector: Best | None) -> str:
    wrong = f"{1 - errors['accuracy']:.1%}"
    if groups := ", nor ".join(_unreliable(errors, selector)):
        return f"Do not trust {groups}; of all answers, {wrong} are wrong."
    if errors["accuracy"] < 0.5:
        return (
            f"Do not trust any single answer: {wrong} are wrong, and no group "
            f"of answers is wrong clearly more often."
        )
    return (
        f"No group of answers is clearly less reliable than the others: of "
        f"all answers, {wrong} are wrong."
    )


def _unreliable(errors: dict[str, Any], selector: Best | None) -> Iterator[str]:
    r"""Yields the groups of answers that are wrong clearly more often."""
    kinds = errors["kinds"]
    ends = {name: interval(**kind) for name, kind in kinds.items()}
    for name, words in KIND_WORDS.items():
        if {name, "id"} <= set(ends) and ends[name][0] > ends["id"][1]:
            yield f"{words} ({kinds[name]['share']:.1%} wrong)"
    if selector is None:
        return
    curve = errors["curves"][selector.name]
    risk = dict(zip(curve["x"], curve["y"], strict=True))
    # The errors of all answers, less those of the first nine tenths.
    tenth = 10 * risk[1.0] - 9 * risk[0.9]
    if tenth > risk[1.0]:
        yield (
            f"the tenth of the answers with the highest uncertainty by "
            f"{selector.name} ({tenth:.1%} wrong)"
        )


def _distrust_triples(detector: Best | None) -> str:
    if detector is None:
        return (
            "It is not known which predictions not to trust: wrong answers "
            "were not evaluated, and no uncertainty was shown to detect "
            "out-of-distribution triples."
        )
    return (
        f"Do not trust triples with a high uncertainty by {detector.name}: "
        f"they tend to be out of distribution (AUROC {detector.auroc:.3f})."
    )


def _select(errors: dict[str, Any], selector: Best) -> str:
    selected = errors["methods"][selector.name]["selective"]["0.85"]
    return (
        f"Answer only where the uncertainty by {selector.name} is low: a "
        f"threshold chosen on validation triples answers "
        f"{selected['answer_rate']:.1%} of the test queries, and "
        f"{selected['accuracy']:.1%} of these answers are right instead of "
        f"{errors['accuracy']:.1%}."
    )


def _check(errors: dict[str, Any] | None, detector: Best | None) -> str:
    weak = errors is not None and errors["accuracy"] < 0.5
    check = "Train a better model or check" if weak else "Check"
    if detector is None:
        return f"{check} every answer: no uncertainty was shown to help."
    return (
        f"{check} every answer, and reject triples with a high uncertainty by "
        f"{detector.name}, which detects out-of-distribution triples (AUROC "
        f"{detector.auroc:.3f})."
    )
