r"""The pictures of a report: figures with a title and a caption."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from pyg_cagp.protocols import PROTOCOLS
from pyg_cagp.report import figures
from pyg_cagp.report.canvas import STYLE, check_packages
from pyg_cagp.report.summary import widest_protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Picture(NamedTuple):
    r"""A figure with its name, title and caption."""

    name: str
    title: str
    caption: str
    figure: "Figure"


def all_pictures(record: dict[str, Any]) -> list[Picture]:
    r"""Draws every picture that the record has numbers for."""
    check_packages()
    from matplotlib import rc_context

    with rc_context(STYLE):
        return list(_pictures(record))


def _pictures(record: dict[str, Any]) -> Iterator[Picture]:
    detected, errors = record["detection"], record["errors"]
    if errors is not None:
        yield _risk(errors)
    if detected:
        yield from _detection(detected)
    spearman = record["assumptions"]["A1"]["spearman"]
    caption = "Mean variance of an entity against its number of triples."
    if spearman is not None:
        caption += f" Rank correlation {spearman:.3f}."
    figure = figures.variance(record["variance"])
    yield Picture("variance", "Variance and frequency", caption, figure)


def _risk(errors: dict[str, Any]) -> Picture:
    return Picture(
        "risk-coverage",
        "Errors among the most certain answers",
        "Only the most certain share of the queries is answered. Lower is "
        "better. Bands are 95% bootstrap intervals.",
        figures.risk_coverage(errors),
    )


def _detection(detected: dict[str, Any]) -> Iterator[Picture]:
    widest = widest_protocol(detected)
    assert widest is not None
    titles = {name: PROTOCOLS[name].title for name in detected}
    yield Picture(
        "decomposition",
        "Two kinds of uncertainty",
        "Each dot is a test triple, at most 600 of each kind. Dots are spread "
        "vertically around 0, 1 and 2.",
        figures.decomposition(detected[widest]["points"]),
    )
    for name, part in detected.items():
        yield Picture(
            f"roc-{name}",
            f"Detection of {titles[name]}",
            "ROC curves with 95% bootstrap intervals.",
            figures.roc(part),
        )
    bins = detected[widest]["reliability"]
    yield Picture(
        "reliability",
        "Calibration of evidence",
        f"OOD triples ({titles[widest]}) in bins of evidence, with 95% "
        f"intervals. Expected calibration error {bins['ece']:.3f}.",
        figures.reliability(bins),
    )
