r"""The report as one page without links to other files."""

import json
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from pyg_cagp.report import markup
from pyg_cagp.report.canvas import to_svg
from pyg_cagp.report.markup import Mark, figure, figures, paragraph, table, text
from pyg_cagp.report.pictures import TITLES, Picture, all_pictures

#: A part of the template that is left out without its figures.
OPTIONAL = re.compile(r"<!-- if (\w+) -->(.*?)<!-- end -->", re.DOTALL)

#: The pictures of all protocols together.
MIXES = ("reliability", "weights")

#: The rows of the table of assumptions: the statement, and the measure.
ASSUMPTIONS = {
    "A1": ("variance falls with frequency", "spearman"),
    "A2": ("ID triples are covered", "coverage"),
    "A3": ("novel contexts have ID twins", "within 1"),
    "A4": ("the semantic gap is below 1", "delta"),
    "A5": ("some emerging triples are covered, not all", "rho"),
    "A6": ("emerging ends have the larger uncertainty", "auroc"),
}


def render_page(
    found: dict[str, Any], *, pictures: Sequence[Picture] | None = None
) -> str:
    r"""Returns the page.

    Args:
        found (dict): The figures from :func:`~pyg_cagp.report.gather`.
        pictures (sequence, optional): Its pictures, if they are drawn already.
            (default: :obj:`None`)
    """
    pictures = all_pictures(found) if pictures is None else pictures
    svgs = {p.name: to_svg(p.figure, p.name, p.alt) for p in pictures}
    run = found["run"]
    # The last name of a folder.
    graph = Path(run["dataset"]).name or "a graph"
    folder = files("pyg_cagp.report")
    model = run["config"]["model"]["name"]
    parts = {
        "title": text(f"How far to trust {model} on {graph}"),
        "style": (folder / "page.css").read_text(encoding="utf-8"),
        "facts": _facts(run, found["ranking"]),
        "decomposition": figure(svgs.get("decomposition", ""), wide=True),
        "missing": "\n".join(
            paragraph(f"Not evaluated by {name}: {reason}.", "soft")
            for name, reason in found["missing"].items()
        ),
        "variance": figures([svgs["variance"]]),
        "assumptions": _assumptions(found["assumptions"]),
        "run": text(_capital(", ".join(_run(run)))),
        "config": text(json.dumps(run["config"], indent=2)),
    }
    if found["detection"]:
        parts |= _detection(found["detection"], svgs)
    if found["errors"] is not None:
        parts |= _errors(found["errors"], svgs)
    shown = {
        "points": "decomposition" in svgs,
        "detection": found["detection"],
        "errors": found["errors"],
    }
    page = (folder / "page.html").read_text(encoding="utf-8")
    page = OPTIONAL.sub(lambda part: part[2] if shown[part[1]] else "", page)
    return Template(page).substitute(parts)


def _facts(run: dict[str, Any], ranking: dict[str, Any]) -> str:
    graph = run["graph"]
    shown: dict[str, Any] = {
        "entities": graph["num_nodes"],
        "relations": graph["num_relations"],
        "training triples": graph["num_train"],
        "test triples": graph["num_test"],
        "filtered MRR": ranking["mrr"],
        "Hits@10": ranking["hits@10"],
    }
    if run["seconds"]:
        shown["training"] = f"{run['seconds']['training']:.0f} s"
    return markup.facts(shown)


def _detection(
    detected: dict[str, Any], svgs: dict[str, str]
) -> dict[str, str]:
    rows = []
    for protocol, part in detected.items():
        methods = part["methods"]
        for kind, row in next(iter(methods.values())).items():
            areas = [method[kind]["auroc"] for method in methods.values()]
            name = TITLES[protocol] if kind == "overall" else f"… {kind}"
            best = max(areas)
            mark = Mark(f"{best:.3f}", "good")
            cells = [mark if area == best else area for area in areas]
            rows.append((f"{name} ({row['num_ood']:,})", *cells))
    return {
        "areas": table(("AUROC (OOD triples)", *methods), rows),
        "rocs": figures([svgs[f"roc-{name}"] for name in detected]),
        "verdicts": "\n".join(
            paragraph(f"{_capital(TITLES[name])}: {part['verdict']}.", "soft")
            for name, part in detected.items()
        ),
        "mixes": figures([svgs[n] for n in MIXES if n in svgs]),
    }


def _errors(errors: dict[str, Any], svgs: dict[str, str]) -> dict[str, str]:
    heading = ("method", "AURC", "AUROC of errors", "answered", "accuracy")
    rows = []
    for method, part in errors["methods"].items():
        chosen = part["selective"]["0.85"]
        keys = ("answer_rate", "accuracy", "optimum")
        numbers = (part["aurc"], part["auroc"], *(chosen[k] for k in keys))
        rows.append((method, *numbers))
    return {
        "num_queries": text(errors["num_queries"]),
        "accuracy": f"{errors['accuracy']:.1%}",
        "risk": figure(svgs["risk-coverage"], wide=True),
        "methods": table((*heading, "best at that rate"), rows),
        "most": _trust(errors["trust"]["most"]),
        "least": _trust(errors["trust"]["least"]),
    }


def _trust(rows: list[dict[str, Any]]) -> str:
    names = ("head", "relation", "tail", "side", "p_wrong", "semantic")
    heading = (*names[:3], "answered", "P(wrong)", "semantic", "structural", "")
    marks = {True: Mark("right", "good"), False: Mark("wrong", "bad")}
    cells = []
    for row in rows:
        shown = [row[name] for name in names]
        cells.append((*shown, int(row["structural"]), marks[row["right"]]))
    return table(heading, cells)


def _assumptions(measured: dict[str, Any]) -> str:
    marks = {True: Mark("yes", "good"), False: Mark("no", "bad"), None: None}
    rows = []
    for name, (words, key) in ASSUMPTIONS.items():
        part = measured[name]
        value = part["id"]["1"] if name == "A3" else part[key]
        rows.append((name, words, key, value, marks[part["holds"]]))
    heading = ("", "assumption", "measured as", "measured", "holds strictly")
    return table(heading, rows)


def _run(run: dict[str, Any]) -> Iterator[str]:
    yield f"seed {run['seed']}"
    for key, words in (
        ("epochs", "{} epochs"),
        ("prior_variance", "prior variance {:.4g}"),
        ("device", "device {}"),
    ):
        if run[key] is not None:
            yield words.format(run[key])
    yield from (f"{k} {v}" for k, v in (run["versions"] or {}).items())


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
