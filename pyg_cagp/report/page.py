r"""The report as one page that needs nothing else: no network, no files."""

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from pyg_cagp.report.canvas import to_svg
from pyg_cagp.report.figures import TITLES, Picture, all_pictures
from pyg_cagp.report.markup import (
    Mark,
    facts,
    figure,
    figures,
    paragraph,
    section,
    table,
    text,
)


def render_page(
    found: dict[str, Any], pictures: Sequence[Picture] | None = None
) -> str:
    r"""Returns the page.

    Args:
        found (dict): What :func:`~pyg_cagp.report.gather` has found.
        pictures (sequence, optional): Its pictures, if they are drawn already.
            (default: :obj:`None`)
    """
    pictures = all_pictures(found) if pictures is None else pictures
    svgs = {
        part.name: to_svg(part.figure, part.name, part.alt) for part in pictures
    }
    title = f"How far to trust {_name(found)}"
    body = "\n".join(
        (
            _head(found, title),
            _two_kinds(svgs),
            _detection(found, svgs),
            _predictions(found, svgs),
            _variances(svgs),
            _assumptions(found),
            _how(found),
        )
    )
    folder = files("pyg_cagp.report")
    template = Template((folder / "page.html").read_text(encoding="utf-8"))
    style = (folder / "page.css").read_text(encoding="utf-8")
    return template.substitute(title=text(title), style=style, body=body)


def _name(found: dict[str, Any]) -> str:
    run = found["run"]
    # A folder is known by its last name.
    graph = Path(run["dataset"]).name or "a graph"
    return f"{run['config']['model']['name']} on {graph}"


def _head(found: dict[str, Any], title: str) -> str:
    run, ranking = found["run"], found["ranking"]
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
    return "\n".join(
        (
            f"<h1>{text(title)}</h1>",
            paragraph(
                "A prediction can be doubtful because an entity is poorly "
                "learned (semantic doubt), or because it was never seen with "
                "the relation asked for (structural doubt). One does not stand "
                "in for the other.",
                "soft",
            ),
            facts(shown),
        )
    )


def _two_kinds(svgs: dict[str, str]) -> str:
    if "decomposition" not in svgs:
        return ""
    return section(
        "Two kinds of doubt",
        paragraph(
            "Each dot is a triple that was judged, at most 600 of a kind; "
            "corrupted ones have a random tail. Both doubts run from 0 to 2. "
            "Where they work, emerging entities lie to the right and novel "
            "contexts higher up; a variance alone sees only how far to the "
            "right a triple is. Dots are spread a little around 0, 1 and 2."
        ),
        figure(svgs["decomposition"], wide=True),
    )


def _detection(found: dict[str, Any], svgs: dict[str, str]) -> str:
    detected = found["detection"]
    parts = [
        paragraph(
            "How well each doubt finds triples that are out of distribution. "
            "CAGP is a weighed sum of both kinds; evidence is a probability "
            "made of directed counts, variances and the model's score. Weights "
            "and calibration come from validation triples."
        )
    ]
    if detected:
        parts.append(_areas(detected))
        parts.append(figures([svgs[f"roc-{name}"] for name in detected]))
        parts += [
            paragraph(f"{_capital(TITLES[name])}: {part['verdict']}.", "soft")
            for name, part in detected.items()
        ]
        parts.append("<h3>Is doubt a probability, and how was it mixed?</h3>")
        last = [svgs[n] for n in ("reliability", "weights") if n in svgs]
        parts.append(figures(last))
    parts += [
        paragraph(f"Not judged by {name}: {reason}.", "soft")
        for name, reason in found["missing"].items()
    ]
    return section("Finding what is out of distribution", *parts)


def _areas(detected: dict[str, Any]) -> str:
    rows = []
    for protocol, part in detected.items():
        kinds = next(iter(part["methods"].values()))
        for kind in kinds:
            areas = {
                method: found[kind]["auroc"]
                for method, found in part["methods"].items()
            }
            best = max(areas.values())
            name = TITLES[protocol] if kind == "overall" else f"… {kind}"
            rows.append(
                (
                    f"{name} ({kinds[kind]['num_ood']:,})",
                    *(
                        Mark(f"{area:.3f}", "good") if area == best else area
                        for area in areas.values()
                    ),
                )
            )
    methods = next(iter(detected.values()))["methods"]
    return table(("AUROC (OOD triples)", *methods), rows)


def _predictions(found: dict[str, Any], svgs: dict[str, str]) -> str:
    errors = found["errors"]
    if errors is None:
        return ""
    rows = [
        (
            method,
            part["aurc"],
            part["auroc"],
            *(
                part["selective"]["0.85"][key]
                for key in ("answer_rate", "accuracy", "optimum")
            ),
        )
        for method, part in errors["methods"].items()
    ]
    return section(
        "Finding the model's own mistakes",
        paragraph(
            f"The model answered {errors['num_queries']:,} test queries, and "
            f"{errors['accuracy']:.1%} of its first answers are right. "
            f"Answering fewer, the least doubtful ones, should leave fewer "
            f"errors. Evidence was fitted on the model's mistakes on "
            f"validation, CAGP on emerging entities and novel contexts there; "
            f"max probability is 1 minus the probability of the answer."
        ),
        figure(svgs["risk-coverage"], wide=True),
        paragraph(
            "Thresholds were to answer 85 % of validation queries; of test "
            "queries, each answers the share shown.",
            "soft",
        ),
        table(
            (
                "doubt",
                "AURC",
                "AUROC of errors",
                "answered",
                "accuracy",
                "best at that rate",
            ),
            rows,
        ),
        "<h3>Trusted most</h3>",
        _trust(errors["trust"]["most"]),
        "<h3>Trusted least</h3>",
        _trust(errors["trust"]["least"]),
    )


def _trust(rows: list[dict[str, Any]]) -> str:
    return table(
        (
            "head",
            "relation",
            "tail",
            "asked for",
            "P(wrong)",
            "semantic",
            "structural",
            "",
        ),
        [
            (
                row["head"],
                row["relation"],
                row["tail"],
                row["side"],
                row["p_wrong"],
                row["semantic"],
                int(row["structural"]),
                Mark("right", "good") if row["right"] else Mark("wrong", "bad"),
            )
            for row in rows
        ],
    )


def _variances(svgs: dict[str, str]) -> str:
    return section(
        "What variances know",
        paragraph(
            "Semantic doubt is the mean variance of both ends, brought to the "
            "scale from 0 to 2 by the smallest and the largest variance of all "
            "entities. It is worth something if variance falls with how often "
            "an entity was seen."
        ),
        figures([svgs["variance"]]),
    )


def _assumptions(found: dict[str, Any]) -> str:
    measured = found["assumptions"]
    overlap = {"within 1": measured["A3"]["id"]["1"]}
    rows = (
        ("A1", "variance falls with frequency", measured["A1"], "spearman"),
        ("A2", "ID triples are covered", measured["A2"], "coverage"),
        (
            "A3",
            "novel contexts have ID twins",
            overlap,
            "within 1",
        ),
        ("A4", "the semantic gap is below 1", measured["A4"], "delta"),
        (
            "A5",
            "some emerging triples are covered, not all",
            measured["A5"],
            "rho",
        ),
        ("A6", "emerging ends have the larger doubt", measured["A6"], "auroc"),
    )
    return section(
        "What the paper assumes",
        paragraph(
            "Its theorems hold where these do, strictly. A1 is measured on all "
            "entities, the others on the test triples of this graph."
        ),
        table(
            ("", "assumption", "measured as", "measured", "holds strictly"),
            [
                (name, words, key, part[key], _holds(measured[name]["holds"]))
                for name, words, part, key in rows
            ],
        ),
    )


def _holds(holds: bool | None) -> Mark | None:
    if holds is None:
        return None
    return Mark("yes", "good") if holds else Mark("no", "bad")


def _how(found: dict[str, Any]) -> str:
    run = found["run"]
    config = json.dumps(run["config"], indent=2)
    told = [f"seed {run['seed']}"]
    for key, words in (
        ("epochs", "{} epochs"),
        ("prior_variance", "prior variance {:.4g}"),
        ("device", "device {}"),
    ):
        if run[key] is not None:
            told.append(words.format(run[key]))
    told += [f"{k} {v}" for k, v in (run["versions"] or {}).items()]
    return section(
        "How this came about",
        paragraph(f"{_capital(', '.join(told))}."),
        f"<details><summary>Config</summary><pre>{text(config)}</pre></details>",
        "<p>Every figure is in <code>report.json</code>, every score of a "
        "triple in <code>evaluate-*.json.npz</code> beside this page.</p>",
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
