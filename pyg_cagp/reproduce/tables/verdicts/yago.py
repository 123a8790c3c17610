r"""Claims about YAGO3-10, whose training file not everybody has."""

from pyg_cagp.reproduce import published
from pyg_cagp.reproduce.tables.detection import area
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.verdicts.rules import (
    HOLDS,
    LABELS,
    UNTESTED,
    Claim,
    not_below,
    same,
)

NAME = "yago3-10"
MIXES = ("average", "cagp")


def yago(records: Records) -> list[Claim]:
    r"""What single signals and the mix find on YAGO3-10."""
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
    for method in ("semantic", "structural", "average", "cagp"):
        for protocol, preset, paper in (
            ("temporal-like", "table2", published.TEMPORAL[method][1]),
            ("standard", "stated", published.STANDARD[method][2]),
        ):
            ours = area(records, NAME, protocol, preset, method)
            rule = same if method == "structural" else not_below
            verdict = rule(ours, paper)
            of_labels = protocol == "temporal-like" and method in MIXES
            if verdict == HOLDS and of_labels:
                verdict = LABELS
            rows.append(
                Claim(
                    f"{protocol}, {method}, {NAME}",
                    paper,
                    ours,
                    None,
                    verdict,
                    command,
                )
            )
    return rows
