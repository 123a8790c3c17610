r"""Claims about how often the entities of test triples were seen."""

from typing import Any

from pyg_cagp.reproduce import published
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.verdicts.rules import (
    FAILS,
    FB,
    HOLDS,
    Claim,
)

KINDS = ("emerging", "novel", "id")


def frequencies(records: Records) -> list[Claim]:
    r"""How often entities of each kind of triple were seen."""
    seen = records.one(f"{FB}/frequencies")
    if seen is None:
        return []
    rows = []
    for kind in KINDS:
        paper = published.FREQUENCIES[kind]
        there = [name for name in seen if _rarer(seen, name, kind) == paper]
        mean, median = _rarer(seen, "appendix", kind)
        verdict = f"{FAILS}: with no reading of the partition"
        if there:
            verdict = f"{HOLDS} for the rarer end, with `{there[0]}`"
        rows.append(
            Claim(
                f"mean and median frequency of entities, {kind}",
                f"{paper[0]} / {paper[1]}",
                f"{mean} / {median:g}",
                None,
                verdict,
                "frequencies",
            )
        )
    return [*rows, _more_frequent(seen)]


def _rarer(seen: dict[str, Any], name: str, kind: str) -> tuple[float, float]:
    found = seen[name][kind]["rarer end"] or {"mean": 0.0, "median": 0.0}
    return round(found["mean"], 1), found["median"]


def _more_frequent(seen: dict[str, Any]) -> Claim:
    means = {
        ends: [seen["table2"][kind][ends]["mean"] for kind in ("novel", "id")]
        for ends in ("both ends", "rarer end")
    }
    higher = {ends: novel > known for ends, (novel, known) in means.items()}
    verdict = HOLDS
    if not any(higher.values()):
        verdict = f"{FAILS}: lower here"
    elif not all(higher.values()):
        on = next(ends for ends, is_higher in higher.items() if is_higher)
        off = next(ends for ends, is_higher in higher.items() if not is_higher)
        verdict = (
            f"{HOLDS} for the mean of {on}; for the {off}, which gives the "
            "paper's own figures, it is the other way round"
        )
    return Claim(
        "entities of novel contexts are more frequent than those of ID "
        "triples, which is why U_sem is below 0.5 there",
        "higher",
        ", ".join(
            f"{ends} {novel:.1f} against {known:.1f}"
            for ends, (novel, known) in means.items()
        ),
        None,
        verdict,
        "frequencies",
    )
