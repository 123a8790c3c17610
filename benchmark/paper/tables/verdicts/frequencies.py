r"""Claims about how often the entities of test triples were seen."""

from typing import Any

from benchmark.paper import published
from benchmark.paper.tables.common import KINDS
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.verdicts.rules import (
    FAILS,
    FB,
    HOLDS,
    Claim,
)


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
        verdict = f"{FAILS} with any of {len(seen)} readings of the partition"
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
    pairs = {
        f"{figure} of {ends}": [
            seen["appendix"][kind][ends][figure] for kind in ("novel", "id")
        ]
        for ends in ("both ends", "rarer end")
        for figure in ("mean", "median")
    }
    higher = [name for name, (novel, known) in pairs.items() if novel > known]
    verdict = HOLDS
    if not higher:
        verdict = f"{FAILS}: lower here"
    elif len(higher) < len(pairs):
        verdict = f"{FAILS} but for the {' and the '.join(higher)}"
    return Claim(
        "U_sem is below 0.5 on novel contexts because their entities are more "
        "frequent than those of ID triples",
        "higher",
        ", ".join(
            f"{name} {novel:.4g} against {known:.4g}"
            for name, (novel, known) in pairs.items()
        ),
        None,
        verdict,
        "frequencies",
    )
