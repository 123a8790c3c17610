r"""Claims about YAGO3-10, whose training file not everybody has."""

from benchmark.paper import published
from benchmark.paper.rivals import OTHERS
from benchmark.paper.tables.detection import METHODS, area
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Spread
from benchmark.paper.tables.verdicts.rules import (
    HOLDS,
    LABELS,
    UNTESTED,
    Claim,
    near_chance,
    not_below,
    same,
)

NAME = "yago3-10"
MIXES = ("average", "cagp")


def yago(records: Records) -> list[Claim]:
    r"""What the paper's tables 1 and 3 have of YAGO3-10."""
    command = f"table1 table3 --datasets {NAME}"
    if not records.seeds(f"{NAME}/detection/temporal-like-table2"):
        return [
            Claim(
                "all figures of YAGO3-10",
                "0.942 and others",
                None,
                None,
                f"{UNTESTED}: there is no record; it is computed where its "
                "training file is. YAGO-sample is other triples",
                command,
            )
        ]
    rows = []
    for protocol, preset, papers, place in (
        ("temporal-like", "table2", published.TEMPORAL, 1),
        ("standard", "stated", published.STANDARD, 2),
    ):
        for method, figures in papers.items():
            ours = area(records, NAME, protocol, preset, method)
            rows.append(
                Claim(
                    f"{protocol}, {METHODS[method]}, {NAME}",
                    figures[place],
                    ours,
                    None,
                    _verdict(protocol, method, ours, figures[place]),
                    command,
                )
            )
    return rows


def _verdict(
    protocol: str, method: str, ours: Spread | None, paper: float
) -> str:
    of_labels = protocol == "temporal-like"
    if of_labels and method in OTHERS:
        return near_chance(ours)
    # What SNGP is said to find is little, and more would be another result.
    rule = same if method in ("structural", "sngp") else not_below
    verdict = rule(ours, paper)
    if verdict == HOLDS and of_labels and method in MIXES:
        return LABELS
    return verdict
