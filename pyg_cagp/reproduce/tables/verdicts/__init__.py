r"""What holds and what does not: each claim of the paper beside our figure.

Figures come from records. A verdict is computed where it is a comparison, and
written here where it follows from a definition.
"""

from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Table
from pyg_cagp.reproduce.tables.verdicts.analysis import analysis
from pyg_cagp.reproduce.tables.verdicts.assumptions import assumptions
from pyg_cagp.reproduce.tables.verdicts.frequencies import frequencies
from pyg_cagp.reproduce.tables.verdicts.partitions import partitions
from pyg_cagp.reproduce.tables.verdicts.practice import practice
from pyg_cagp.reproduce.tables.verdicts.rules import MISSING
from pyg_cagp.reproduce.tables.verdicts.shifts import temporal
from pyg_cagp.reproduce.tables.verdicts.tails import random_tails
from pyg_cagp.reproduce.tables.verdicts.yago import yago


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
