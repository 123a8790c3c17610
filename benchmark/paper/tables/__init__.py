r"""Tables made from records, and from nothing else."""

from collections.abc import Callable

from benchmark.paper.tables import (
    beyond,
    claims,
    dated,
    detection,
    effort,
    graphs,
    practice,
    significance,
    summary,
    verdicts,
)
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Spread, Table


def _judged(*settings: str) -> tuple[str, ...]:
    kinds = ("detection", "rivals")
    return tuple(f"/{kind}/{name}/" for name in settings for kind in kinds)


#: Every table by its name, with the parts of the grid it is made of.
TABLES: dict[str, tuple[Callable[[Records], Table], tuple[str, ...]]] = {
    "summary": (
        summary.summary,
        ("/models/", "/detection/", "/errors/"),
    ),
    "verdicts": (
        verdicts.verdicts,
        (
            "/graph",
            "/frequencies",
            "/models/",
            "/recipe/",
            "/alpha/",
            "/errors/",
            "/rival-errors/",
            "/architectures/",
            "/mistakes/",
            "/tau/",
            "/leak/",
            "/coverage-views",
            "/composition",
            "/timestamp/",
            "/cost/",
            *_judged(
                "temporal-like-table2",
                "standard-stated",
                "comprehensive-stated",
            ),
        ),
    ),
    "statistics": (graphs.statistics, ("/graph",)),
    "partitions": (graphs.partitions, ("/graph",)),
    "frequencies": (graphs.frequencies, ("/frequencies",)),
    "table1": (detection.table1, _judged("temporal-like-table2")),
    "stated": (detection.stated, _judged("temporal-like-stated")),
    "inclusive": (detection.inclusive, _judged("temporal-like-inclusive")),
    "table2": (detection.table2, _judged("temporal-like-table2")),
    "appendix": (detection.appendix, _judged("temporal-like-appendix")),
    "table3": (detection.table3, _judged("standard-stated")),
    "table4": (
        detection.table4,
        _judged("standard-stated", "temporal-like-table2"),
    ),
    "metrics": (
        significance.metrics,
        _judged("temporal-like-table2", "standard-stated"),
    ),
    "significance": (
        significance.significance,
        _judged("temporal-like-table2", "standard-stated"),
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
        _judged(
            "standard-stated",
            "comprehensive-stated",
            "temporal-like-table2",
        ),
    ),
    "selective": (practice.selective, ("/errors/", "/rival-errors/")),
    "architectures": (claims.architectures, ("/architectures/",)),
    "mistakes": (claims.mistakes, ("/mistakes/",)),
    "tau": (claims.tau, ("/tau/",)),
    "cost": (practice.cost, ("/cost/",)),
    "leak": (beyond.leak, ("/leak/",)),
    "comprehensive": (
        detection.comprehensive,
        _judged("comprehensive-stated"),
    ),
    "timestamp": (dated.timestamp, ("/timestamp/",)),
    "verified-negatives": (
        detection.verified,
        _judged("verified-negatives-stated"),
    ),
    "errors": (practice.errors, ("/errors/", "/rival-errors/")),
    "conformal": (practice.conformal, ("/conformal/",)),
    "confidences": (beyond.confidences, ("/confidences/",)),
    "posteriors": (beyond.posteriors, ("/models/", "/recipe/")),
    "arrival": (dated.arrival, ("/arrival/",)),
    "effort": (effort.effort, ()),
}

#: Tables that show one graph, the first there are records of.
OF_ONE_GRAPH = (
    "table2",
    "appendix",
    "table4",
    "metrics",
    "a3",
    "mixing",
    "coverage",
    "calibration",
    "selective",
    "architectures",
    "mistakes",
    "tau",
)

__all__ = ["OF_ONE_GRAPH", "TABLES", "Records", "Spread", "Table"]
