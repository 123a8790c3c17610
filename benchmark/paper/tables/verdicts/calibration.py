r"""Claims about calibration. The paper does not say of which triples."""

from benchmark.paper import published
from benchmark.paper.rivals import OTHERS
from benchmark.paper.tables.detection import METHODS
from benchmark.paper.tables.practice import CALIBRATED
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Spread
from benchmark.paper.tables.verdicts.rules import (
    CLOSE,
    FAILS,
    FB,
    HOLDS,
    Claim,
    listed,
    not_above,
    on_each,
)

FIGURES = {"ece": "ECE", "brier": "Brier score"}

#: By method, protocol and name.
Figures = dict[tuple[str, str, str], Spread]


def calibration(records: Records) -> list[Claim]:
    r"""How far doubts, mapped to probabilities, are from what happens."""
    found: Figures = {}
    for method in published.CALIBRATION:
        kind = "rivals" if method in OTHERS else "detection"
        for protocol, setting in CALIBRATED.items():
            for name in FIGURES:
                figure = records.spread(
                    f"{FB}/{kind}/{setting}",
                    *("methods", method, "calibration", name),
                )
                if figure is not None:
                    found[method, protocol, name] = figure
                elif method not in OTHERS:
                    return []
    return [
        *(_error(found, place) for place in range(len(FIGURES))),
        _below(found, "structural", "U_str", "37 %", 0.37),
        # The text has the one figure, its table leads to the other.
        _below(found, "semantic", "U_sem", "47 % (its table: 43 %)", 0.43),
        _best(found),
    ]


def _error(found: Figures, place: int) -> Claim:
    name, title = list(FIGURES.items())[place]
    paper = published.CALIBRATION["cagp"][place]
    ours = {p: found["cagp", p, name] for p in CALIBRATED}
    return Claim(
        f"calibration of CAGP (of which triples, is not said): {title}",
        paper,
        _by_place({p: f"{figure.mean:.3f}" for p, figure in ours.items()}),
        None,
        on_each({p: not_above(figure, paper) for p, figure in ours.items()}),
        "calibration",
    )


def _below(
    found: Figures, single: str, title: str, told: str, least: float
) -> Claim:
    r"""By how much the ECE of the mix is below that of one of its parts."""
    pairs, verdicts, sharper = {}, {}, []
    for protocol in CALIBRATED:
        mix, part, score, other = (
            found[method, protocol, name].mean
            for name in FIGURES
            for method in ("cagp", single)
        )
        pairs[protocol] = f"{mix:.4f} against {part:.4f}"
        enough = mix <= (1 - least + CLOSE) * part
        verdicts[protocol] = HOLDS if enough else FAILS
        if not enough and score < other:
            sharper.append(protocol)
    verdict = on_each(verdicts)
    if sharper:
        verdict += (
            "; by the Brier score, which a doubt that tells little cannot win, "
            f"CAGP is better on {listed(sharper)}"
        )
    return Claim(
        f"calibration: ECE of CAGP is below that of {title} by",
        told,
        _by_place(pairs),
        None,
        verdict,
        "calibration",
    )


def _best(found: Figures) -> Claim:
    r"""Whether the mix is better calibrated than all else in the table."""
    told = []
    for name, title in FIGURES.items():
        better = {
            protocol: listed(
                [
                    METHODS[method].split(" (")[0].split(",")[0]
                    for method in published.CALIBRATION
                    if (method, protocol, name) in found
                    and found[method, protocol, name].mean
                    < found["cagp", protocol, name].mean
                ]
            )
            for protocol in CALIBRATED
        }
        if any(better.values()):
            told.append(f"{title} is lower with {_by_place(better)}")
    ours = {
        p: " / ".join(f"{found['cagp', p, n].mean:.3f}" for n in FIGURES)
        for p in CALIBRATED
    }
    ece, brier = published.CALIBRATION["cagp"]
    return Claim(
        "calibration: CAGP is the best of the paper's seven methods (ECE / "
        "Brier score)",
        f"{ece} / {brier}",
        _by_place(ours),
        None,
        f"{FAILS}: {'; '.join(told)}" if told else HOLDS,
        "calibration",
    )


def _by_place(told: dict[str, str]) -> str:
    return ", ".join(
        f"{text} ({place})" for place, text in told.items() if text
    )
