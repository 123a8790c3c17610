r"""Tables made from records, and from nothing else."""

from collections.abc import Callable

from pyg_cagp.reproduce.tables import (
    beyond,
    claims,
    dated,
    detection,
    practice,
)
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Spread, Table

#: Every table by its name, with the parts of the grid it is made of.
TABLES: dict[str, tuple[Callable[[Records], Table], tuple[str, ...]]] = {
    "statistics": (claims.statistics, ("/graph",)),
    "partitions": (claims.partitions, ("/graph",)),
    "table1": (detection.table1, ("/detection/temporal-like-table2/",)),
    "stated": (detection.stated, ("/detection/temporal-like-stated/",)),
    "inclusive": (
        detection.inclusive,
        ("/detection/temporal-like-inclusive/",),
    ),
    "table2": (detection.table2, ("/detection/temporal-like-table2/",)),
    "table3": (detection.table3, ("/detection/standard-stated/",)),
    "table4": (
        detection.table4,
        ("/detection/standard-stated/", "/detection/temporal-like-table2/"),
    ),
    "assumptions": (claims.assumptions, ("/models/",)),
    "a3": (claims.overlap, ("/graph",)),
    "mixing": (
        claims.mixing,
        (
            "/detection/standard-stated/",
            "/detection/temporal-like-table2/",
            "/alpha/",
        ),
    ),
    "coverage": (claims.coverage_views, ("/coverage-views",)),
    "composition": (dated.composition, ("/composition",)),
    "calibration": (
        practice.calibration,
        ("/detection/standard-stated/", "/detection/comprehensive-stated/"),
    ),
    "selective": (practice.selective, ("/errors/",)),
    "architectures": (claims.architectures, ("/architectures/",)),
    "mistakes": (claims.mistakes, ("/mistakes/",)),
    "tau": (claims.tau, ("/tau/",)),
    "cost": (practice.cost, ("/cost/",)),
    "leak": (beyond.leak, ("/leak/",)),
    "comprehensive": (
        detection.comprehensive,
        ("/detection/comprehensive-stated/",),
    ),
    "timestamp": (dated.timestamp, ("/timestamp/",)),
    "verified-negatives": (
        detection.verified,
        ("/detection/verified-negatives-stated/",),
    ),
    "errors": (practice.errors, ("/errors/",)),
    "conformal": (practice.conformal, ("/conformal/",)),
    "confidences": (beyond.confidences, ("/confidences/",)),
    "posteriors": (beyond.posteriors, ("/models/",)),
    "arrival": (dated.arrival, ("/arrival/",)),
}

__all__ = ["TABLES", "Records", "Spread", "Table"]
