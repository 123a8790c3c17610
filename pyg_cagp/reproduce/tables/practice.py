r"""Tables of use: calibration, selection, cost; and what the paper lacks."""

from typing import Any

from pyg_cagp.reproduce import published
from pyg_cagp.reproduce.tables.claims import _first, _models, _paper
from pyg_cagp.reproduce.tables.detection import DATASETS, INTERVAL, METHODS
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Table


def calibration(records: Records) -> Table:
    r"""Whether doubt, mapped to a probability on validation, means one."""
    dataset = _first(records)
    rows = []
    for method, title in METHODS.items():
        row: list[Any] = [title]
        paper = _paper(dataset, published.CALIBRATION.get(method))
        for place, figure in enumerate(("ece", "brier")):
            for protocol in ("standard-stated", "comprehensive-stated"):
                name = f"{dataset}/detection/{protocol}"
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
    dataset = _first(records)
    name = f"{dataset}/errors"
    rows: list[Any] = [
        (
            "no abstention",
            records.spread(name, "accuracy"),
            None,
            _paper(dataset, published.SELECTIVE["none"]),
            None,
        )
    ]
    results = records.seeds(name)
    methods = results[0]["methods"] if results else {}
    for method in methods:
        paper = published.SELECTIVE.get(method)
        rows.append(
            (
                METHODS.get(method, method),
                _at_rate(records, name, method, "accuracy"),
                _at_rate(records, name, method, "optimum"),
                _paper(dataset, paper),
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


def composition(records: Records) -> Table:
    r"""What the future of dated graphs consists of."""
    rows = []
    for dataset in records.datasets(DATASETS):
        found = records.one(f"{dataset}/composition")
        if found is None:
            continue
        future = found["future"]
        ood = future["emerging"] + future["novel"]
        paper = published.COMPOSITION.get(dataset)
        rows.append(
            (
                dataset,
                *(future[kind] for kind in ("id", "novel", "emerging")),
                future["novel"] / ood if ood else None,
                paper[0] if paper else None,
                found["share of repeats"],
                found["structural"]["all"],
                found["structural"]["without repeats"],
                found["frequency"]["all"],
                found["frequency"]["without repeats"],
            )
        )
    return Table(
        "composition",
        "The future, by what was known before",
        (
            "dataset",
            "ID",
            "novel",
            "emerging",
            "share of novel among OOD",
            "paper",
            "repeats",
            "U_str AUROC",
            "without repeats",
            "1 / (1 + frequency) AUROC",
            "without repeats",
        ),
        rows,
        ("AUROC of future against held-out past.",),
    )


def timestamp(records: Records) -> Table:
    r"""Held-out past against future, for every quick method."""
    datasets = [
        d for d in records.datasets(DATASETS) if records.seeds(f"{d}/timestamp")
    ]
    rows = []
    for method, title in METHODS.items():
        row: list[Any] = [title]
        for dataset in datasets:
            for part in ("overall", "without repeats"):
                row.append(
                    records.spread(
                        f"{dataset}/timestamp", "methods", method, part, "auroc"
                    )
                )
        if any(cell is not None for cell in row[1:]):
            rows.append(row)
    columns = ["method"]
    for dataset in datasets:
        columns += [dataset, "without repeats"]
    return Table(
        "timestamp",
        "Future against held-out past, AUROC",
        columns,
        rows,
        (INTERVAL,),
    )


def arrival(records: Records) -> Table:
    r"""Detection week by week, with and without bringing evidence up to
    date.
    """
    rows = []
    for dataset in records.datasets(DATASETS):
        results = records.seeds(f"{dataset}/arrival")
        if not results:
            continue
        weeks = results[0]["weeks"]
        signals = list(weeks[0]["auroc"])
        for start in range(0, len(weeks), 4):
            part = weeks[start : start + 4]
            rows.append(
                (
                    dataset,
                    f"{part[0]['week']} to {part[-1]['week']}",
                    sum(week["num_triples"] for week in part),
                    *(
                        sum(week["auroc"][name] for week in part) / len(part)
                        for name in signals
                    ),
                )
            )
    return Table(
        "arrival",
        "Arriving triples against random tails, AUROC, means of four weeks",
        (
            "dataset",
            "weeks",
            "triples",
            "U_sem, frozen",
            "U_str smoothed, frozen",
            "U_str smoothed, updated",
            "U_sem, updated",
        ),
        rows,
    )


def leak(records: Records) -> Table:
    r"""Scales that see labels, beside one that does not."""
    rows = []
    for dataset in records.datasets(DATASETS):
        name = f"{dataset}/leak"
        paper = {"fb15k-237": 0.960, "wn18rr": 0.871}.get(dataset)
        for signal in (
            "variance",
            "1 / (1 + frequency)",
            "1 / sqrt(1 + frequency)",
        ):
            rows.append(
                (
                    dataset,
                    signal,
                    records.spread(name, signal, "semantic alone", digits=3),
                    records.spread(name, "structural", digits=3),
                    records.spread(name, signal, "clean", digits=3),
                    *(
                        records.spread(
                            name, signal, f"as published, {scale}", digits=3
                        )
                        for scale in ("range", "largest")
                    ),
                    paper,
                )
            )
    return Table(
        "leak",
        "Standard OOD: the mix with a clean scale and with one that sees "
        "labels, AUROC",
        (
            "dataset",
            "semantic signal",
            "alone",
            "U_str",
            "clean",
            "as published, range",
            "as published, largest",
            "paper's CAGP",
        ),
        rows,
        (
            INTERVAL,
            "*As published*: the semantic signal is scaled by the range of ID "
            "triples and, apart from them, by that of OOD triples; or measured "
            "from the largest value of each. The scale sees labels. Nothing "
            "else here does that.",
        ),
    )


def errors(records: Records) -> Table:
    r"""Which doubt finds wrong predictions."""
    datasets = [
        d for d in records.datasets(DATASETS) if records.seeds(f"{d}/errors")
    ]
    names: dict[str, None] = {}
    for dataset in datasets:
        names |= dict.fromkeys(records.seeds(f"{dataset}/errors")[0]["methods"])
    rows = []
    for method in names:
        row: list[Any] = [METHODS.get(method, method)]
        for dataset in datasets:
            name = f"{dataset}/errors"
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
            "corrected by Holm's method.",
        ),
    )


def _p_value(records: Records, name: str, method: str) -> str | None:
    for row in records.seeds(name)[0]["comparisons"]:
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
            for kind in ("overall", "id", "emerging", "novel"):
                row.append(
                    records.spread(
                        f"{dataset}/conformal", way, kind, "coverage", digits=3
                    )
                )
            row.append(
                records.spread(
                    f"{dataset}/conformal",
                    way,
                    "overall",
                    "mean_size",
                    digits=1,
                )
            )
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


def confidences(records: Records) -> Table:
    r"""Predicting given confidences."""
    results = records.seeds("nl27k/confidences")
    rows = [
        (
            method,
            *(
                records.spread("nl27k/confidences", method, figure)
                for figure in ("mse", "mae", "spearman")
            ),
        )
        for method in (results[0] if results else {})
    ]
    return Table(
        "confidences",
        "Confidences of NL27k's test triples, predicted",
        ("method", "MSE", "MAE", "Spearman"),
        rows,
        (INTERVAL,),
    )


def posteriors(records: Records) -> Table:
    r"""Accuracy and doubt of the two ways to a variance."""
    rows = []
    for dataset in records.datasets(DATASETS):
        name = _models(records, dataset)
        if name is None:
            continue
        for title, part in (
            ("variational", "variational"),
            ("shipped", "presets"),
        ):
            rows.append(
                (
                    dataset,
                    title,
                    records.spread(name, "test", "mrr"),
                    *(
                        records.spread(
                            name,
                            part,
                            "stated",
                            "assumptions",
                            *path,
                            digits=3,
                        )
                        for path in (("A1", "spearman"), ("A6", "auroc"))
                    ),
                )
            )
    return Table(
        "posteriors",
        "Variances of training, and of the posterior that ships",
        ("dataset", "variances", "MRR", "Spearman", "AUROC of emerging"),
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
