r"""What holds and what does not: each claim of the paper beside our figure.

Figures come from records. A verdict is computed where it is a comparison, and
written here where it follows from a definition.
"""

from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table
from benchmark.paper.tables.verdicts.analysis import analysis
from benchmark.paper.tables.verdicts.assumptions import assumptions
from benchmark.paper.tables.verdicts.frequencies import frequencies
from benchmark.paper.tables.verdicts.partitions import partitions
from benchmark.paper.tables.verdicts.practice import practice
from benchmark.paper.tables.verdicts.rules import MISSING
from benchmark.paper.tables.verdicts.shifts import temporal
from benchmark.paper.tables.verdicts.tails import random_tails
from benchmark.paper.tables.verdicts.yago import yago


def verdicts(records: Records) -> Table:
    r"""Every claim with its verdict; of FB15k-237 unless said otherwise."""
    claims = [
        *partitions(records),
        *frequencies(records),
        *temporal(records),
        *random_tails(records),
        *assumptions(records),
        *analysis(records),
        *practice(records),
        *yago(records),
    ]
    there = [claim for claim in claims if claim.verdict != MISSING]
    notes = []
    if len(there) < len(claims):
        notes.append("Claims that no record can judge are left out.")
    return Table(
        "verdicts",
        "What holds and what does not (FB15k-237 unless said otherwise)",
        (
            "claim",
            "paper",
            "measured",
            "with the paper's recipe",
            "verdict",
            "pyg-cagp reproduce",
        ),
        there,
        notes,
    )
