r"""The pictures of a report, by name."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from pyg_cagp.protocols import PROTOCOLS
from pyg_cagp.report import figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The titles of protocols on the page.
TITLES = {name: protocol.title for name, protocol in PROTOCOLS.items()}


class Picture(NamedTuple):
    r"""A picture, its name, and a description in words."""

    name: str
    alt: str
    figure: "Figure"


def all_pictures(found: dict[str, Any]) -> list[Picture]:
    r"""Draws every picture that has figures."""
    return list(_pictures(found))


def _pictures(found: dict[str, Any]) -> Iterator[Picture]:
    detected, errors = found["detection"], found["errors"]
    widest = next(
        (p for p in ("comprehensive", "temporal-like") if p in detected), None
    )
    if widest is not None:
        yield Picture(
            "decomposition",
            "Semantic against structural uncertainty of test triples, by kind",
            figures.decomposition(detected[widest]["points"]),
        )
    for name, part in detected.items():
        title = TITLES[name]
        alt = f"ROC curves for {title}"
        yield Picture(f"roc-{name}", alt, figures.roc(part, title))
    if errors is not None:
        yield Picture(
            "risk-coverage",
            "Share of wrong answers at every share of answers given",
            figures.risk_coverage(errors),
        )
    if widest is not None:
        bins = detected[widest]["reliability"]
        yield Picture(
            "reliability",
            "How often triples are out of distribution, by the evidence",
            figures.reliability(bins, TITLES[widest]),
        )
    a1 = found["assumptions"]["A1"]
    yield Picture(
        "variance",
        "Mean variance of entities against their frequency",
        figures.variance(found["variance"], a1),
    )
    if detected:
        swept = {TITLES[n]: part["weights"] for n, part in detected.items()}
        yield Picture(
            "weights",
            "AUROC of CAGP at every weight of semantic uncertainty",
            figures.weights(swept),
        )
