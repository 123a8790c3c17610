r"""The leak in a scale, given confidences, and the two ways to a variance."""

from benchmark.paper import published
from benchmark.paper.tables.common import LEAKING, models_of
from benchmark.paper.tables.detection import DATASETS, interval
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table

#: What variances know: of frequency, and of emerging entities.
KNOWS = (("A1", "spearman"), ("A6", "auroc"))


def leak(records: Records) -> Table:
    r"""Scales that see labels, beside one that does not."""
    rows = []
    for dataset in records.datasets(DATASETS):
        name = f"{dataset}/leak"
        if not records.seeds(name):
            continue
        place = published.STANDARD_PLACES.get(dataset)
        paper = None if place is None else published.STANDARD["cagp"][place]
        for signal in LEAKING:
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
                    _by_seed(records, name, signal),
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
            "sees labels, range",
            "sees labels, largest",
            "the latter by seed",
            "paper's CAGP",
        ),
        rows,
        (
            interval(records),
            "The weight is 0.5. *Sees labels*: the semantic signal is scaled "
            "by the range of ID triples and, apart from them, by that of OOD "
            "triples; or measured from the largest value of each, which one "
            "rare entity decides. The paper does not say how it scales; these "
            "are two ways to let a scale see labels. Nothing else here does.",
        ),
    )


def _by_seed(records: Records, name: str, signal: str) -> str | None:
    figures = [
        result[signal]["as published, largest"]
        for result in records.seeds(name)
        if signal in result
    ]
    return ", ".join(f"{figure:.3f}" for figure in figures) or None


def confidences(records: Records) -> Table:
    r"""Predicting given confidences."""
    results = records.seeds("nl27k/confidences")
    triples = records.inputs("nl27k/confidences/").get("triples", 0)
    rows = [
        (method, *(found[figure] for figure in ("mse", "mae", "spearman")))
        for result in results[:1]
        for method, found in result.items()
    ]
    return Table(
        "confidences",
        "Confidences of NL27k's test triples, predicted",
        ("method", "MSE", "MAE", "Spearman"),
        rows,
        (
            "One seed. UKGE and BEUrRE are trained on the confidences of "
            f"training triples, of which they see about {triples:,}, repeats "
            "counted; the Gaussian model on the triples alone, and its scores "
            "are mapped to confidences by isotonic regression on validation.",
        ),
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
                        for path in KNOWS
                    ),
                )
            )
        recipe = f"{dataset}/recipe"
        if records.seeds(recipe):
            rows.append(
                (
                    dataset,
                    "paper's recipe",
                    records.spread(recipe, "model", "test", "mrr"),
                    *(
                        records.spread(
                            recipe,
                            "model",
                            "presets",
                            "stated",
                            "assumptions",
                            *path,
                            digits=3,
                        )
                        for path in KNOWS
                    ),
                )
            )
    return Table(
        "posteriors",
        "Variances of training, and of the posterior that ships",
        ("dataset", "variances", "MRR", "Spearman", "AUROC of emerging"),
        rows,
        (
            interval(records),
            "Spearman: rank correlation of frequency and variance. Emerging: "
            "partition `stated`. *Variational* are the variances of training, "
            "*shipped* those of the Laplace posterior that takes their place, "
            "*paper's recipe* those of a DistMult trained as the paper says.",
        ),
    )
