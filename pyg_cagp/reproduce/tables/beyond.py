r"""The leak in a scale, given confidences, and the two ways to a variance."""

from pyg_cagp.reproduce.tables.common import models_of
from pyg_cagp.reproduce.tables.detection import DATASETS, INTERVAL
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Table


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
        name = models_of(records, dataset)
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
