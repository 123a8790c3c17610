r"""Tables of use: calibration, selection, errors, sets of answers, cost."""

from typing import Any

from pyg_cagp.reproduce import published
from pyg_cagp.reproduce.rivals import OTHERS
from pyg_cagp.reproduce.tables.common import first_dataset, of_paper
from pyg_cagp.reproduce.tables.detection import DATASETS, INTERVAL, METHODS
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Table


def calibration(records: Records) -> Table:
    r"""Whether doubt, mapped to a probability on validation, means one."""
    dataset = first_dataset(records)
    rows = []
    for method, title in METHODS.items():
        row: list[Any] = [title]
        paper = of_paper(dataset, published.CALIBRATION.get(method))
        for place, figure in enumerate(("ece", "brier")):
            for protocol in ("standard-stated", "comprehensive-stated"):
                kind = "rivals" if method in OTHERS else "detection"
                name = f"{dataset}/{kind}/{protocol}"
                row.append(
                    records.spread(
                        name,
                        "methods",
                        method,
                        "calibration",
                        figure,
                        digits=3,
                    )
                )
            row.append(paper[place] if paper else None)
        rows.append(row)
    return Table(
        "calibration",
        f"Calibration, {dataset}",
        (
            "method",
            "ECE, random tails",
            "ECE, comprehensive",
            "paper",
            "Brier, random tails",
            "Brier, comprehensive",
            "paper",
        ),
        rows,
        (INTERVAL, "Platt's map, fitted on validation; ECE by equal mass."),
    )


def selective(records: Records) -> Table:
    r"""Answering 85 % of queries."""
    dataset = first_dataset(records)
    name = f"{dataset}/errors"
    rows: list[Any] = [
        (
            "no abstention",
            records.spread(name, "accuracy"),
            None,
            of_paper(dataset, published.SELECTIVE["none"]),
            None,
        )
    ]
    for method, name in judged_errors(records, dataset).items():
        paper = published.SELECTIVE.get(method)
        rows.append(
            (
                METHODS.get(method, method),
                _at_rate(records, name, method, "accuracy"),
                _at_rate(records, name, method, "optimum"),
                of_paper(dataset, paper),
                records.spread(name, "methods", method, "aurc"),
            )
        )
    return Table(
        "selective",
        f"Selective prediction, 85 % answered, {dataset}",
        (
            "method",
            "accuracy",
            "best in hindsight",
            "paper",
            "AURC",
        ),
        rows,
        (
            INTERVAL,
            "The threshold is chosen on validation. With the paper's accuracy "
            "of 62.3 % and 85 % answered, no selection whatsoever exceeds "
            "0.623 / 0.85 = 73.3 %; it reports 78.4 %.",
        ),
    )


def _at_rate(records: Records, name: str, method: str, figure: str) -> Any:
    return records.spread(
        name, "methods", method, "selective", "0.85", figure, digits=3
    )


def errors(records: Records) -> Table:
    r"""Which doubt finds wrong predictions."""
    datasets = [
        d for d in records.datasets(DATASETS) if records.seeds(f"{d}/errors")
    ]
    names: dict[str, None] = {}
    for dataset in datasets:
        names |= dict.fromkeys(judged_errors(records, dataset))
    rows = []
    for method in names:
        row: list[Any] = [METHODS.get(method, method)]
        for dataset in datasets:
            name = judged_errors(records, dataset).get(method, "")
            row.append(records.spread(name, "methods", method, "aurc"))
            row.append(_p_value(records, name, method))
        rows.append(row)
    columns = ["method"]
    for dataset in datasets:
        columns += [f"{dataset}, AURC", "p"]
    return Table(
        "errors",
        "Ranking of errors: area under the risk-coverage curve (lower is "
        "better)",
        columns,
        rows,
        (
            INTERVAL,
            "p: paired bootstrap against the maximum probability, seed 0, "
            "corrected by Holm's method among our methods, and among those of "
            "others.",
        ),
    )


def judged_errors(records: Records, dataset: str) -> dict[str, str]:
    r"""Returns the methods whose ranking of errors was judged, with the names
    of the cells that did.
    """
    found: dict[str, str] = {}
    for kind in ("rival-errors", "errors"):
        name = f"{dataset}/{kind}"
        for result in records.seeds(name)[:1]:
            found |= dict.fromkeys(result["methods"], name)
    order = {method: place for place, method in enumerate(METHODS)}
    return dict(
        sorted(found.items(), key=lambda item: order.get(item[0], len(order)))
    )


def _p_value(records: Records, name: str, method: str) -> str | None:
    results = records.seeds(name)[:1]
    for row in results[0].get("comparisons", []) if results else []:
        if method in (row["first"], row["second"]):
            if method == "max probability":
                return None
            return f"{row['p_bootstrap_holm']:.4f}"
    return None


def conformal(records: Records) -> Table:
    r"""How often sets hold the answer, by kind of triple."""
    rows = []
    for dataset in records.datasets(DATASETS):
        results = records.seeds(f"{dataset}/conformal")
        for way in results[0] if results else {}:
            row: list[Any] = [dataset, way]
            name = f"{dataset}/conformal"
            row.append(records.spread(name, way, "coverage", digits=3))
            for kind in ("id", "emerging", "novel"):
                path = way, "by_kind", kind, "coverage"
                row.append(records.spread(name, *path, digits=3))
            row.append(records.spread(name, way, "mean_size", digits=1))
            rows.append(row)
    return Table(
        "conformal",
        "Conformal answer sets that promise 90 %",
        (
            "dataset",
            "thresholds",
            "coverage",
            "of ID",
            "of emerging",
            "of novel",
            "mean size",
        ),
        rows,
        (INTERVAL,),
    )


def cost(records: Records) -> Table:
    r"""Time and memory on top of a model."""
    rows = []
    for dataset in records.datasets(DATASETS):
        results = records.seeds(f"{dataset}/cost")
        if not results:
            continue
        found = results[0]
        rows.append(
            (
                dataset,
                found["structural / forward"],
                found["structural / all tails"],
                found["cagp / all tails"],
                f"{found['bytes']['model'] / 2**20:.1f}",
                f"{found['bytes']['coverage'] / 2**20:.2f}",
            )
        )
    return Table(
        "cost",
        "What doubt costs, batches of 2,048",
        (
            "dataset",
            "U_str / forward",
            "U_str / scoring all tails",
            "CAGP / scoring all tails",
            "model, MiB",
            "coverage, MiB",
        ),
        rows,
    )
