r"""Tables of the paper's appendix: assumptions, ablations, mistakes."""

from typing import Any

from benchmark.paper import published
from benchmark.paper.tables.common import (
    ASSUMPTIONS,
    PLACES,
    models_of,
    of_paper,
    winning_weights,
)
from benchmark.paper.tables.detection import (
    DATASETS,
    area,
    first_dataset,
    interval,
)
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table


def assumptions(records: Records) -> Table:
    r"""A1 to A6 on each graph, with the partition of the appendix."""
    datasets = [
        d
        for d in records.datasets(DATASETS)
        if models_of(records, d) is not None
    ]
    columns = ["assumption"]
    for dataset in datasets:
        columns.append(dataset)
        if dataset in PLACES:
            columns.append("paper")
    rows = []
    for name, path in ASSUMPTIONS.items():
        row: list[Any] = [name]
        for dataset in datasets:
            cell = models_of(records, dataset)
            assert cell is not None
            where = ("presets", "appendix", *path)
            row.append(records.spread(cell, *where, digits=3))
            if dataset in PLACES:
                row.append(published.ASSUMPTIONS[name][PLACES[dataset]])
        rows.append(row)
    return Table(
        "assumptions",
        "Assumptions of the theorems",
        columns,
        rows,
        (
            interval(records),
            "Partition `appendix`. Variances are those of the models that "
            "ship; table `verdicts` has those of the paper's recipe beside "
            "them.",
        ),
    )


def overlap(records: Records) -> Table:
    r"""A3: novel contexts that have an ID triple of like frequency."""
    dataset = first_dataset(records)
    found = records.one(f"{dataset}/graph")
    shares = {} if found is None else found["overlap"]["appendix"]
    rows = [
        (
            epsilon,
            shares["id"][epsilon],
            shares["train"][epsilon],
            of_paper(dataset, published.OVERLAP.get(epsilon)),
        )
        for epsilon in shares.get("id", {})
    ]
    return Table(
        "a3",
        f"A3: share of novel contexts with a match in frequency, {dataset}",
        ("epsilon", "ID test triples", "training triples", "paper"),
        rows,
        ("Partition `appendix`.",),
    )


def mixing(records: Records) -> Table:
    r"""Fixed and learned weights."""
    dataset = first_dataset(records)
    rows = []
    for method, title in (
        ("average", "fixed weight 0.5"),
        ("cagp", "learned weight (CAGP)"),
    ):
        figures = published.MIXING[method]
        rows.append(
            (
                title,
                area(records, dataset, "temporal-like", "table2", method),
                of_paper(dataset, figures[0]),
                area(records, dataset, "standard", "stated", method),
                of_paper(dataset, figures[1]),
            )
        )
    chosen = f"{dataset}/alpha"
    for setting, place in (
        ("temporal-like, table2", 1),
        ("standard, stated", 3),
    ):
        best = records.spread(chosen, setting, "in hindsight", "auroc")
        row: list[Any] = [f"best weight in hindsight ({setting})"]
        row += [best if column == place else None for column in range(1, 5)]
        rows.append(tuple(row))
    return Table(
        "mixing",
        f"Mixing of both signals, AUROC, {dataset}",
        ("weight", "temporal-like", "paper", "standard", "paper"),
        rows,
        (interval(records), _where_it_wins(records, dataset)),
    )


def _where_it_wins(records: Records, dataset: str) -> str:
    told = []
    for title, setting in (
        ("temporal-like", "temporal-like, table2"),
        ("standard", "standard, stated"),
    ):
        wins, tried = winning_weights(records, dataset, setting)
        some = f" ({min(wins):g} to {max(wins):g})" if wins else ""
        told.append(f"{title} {len(wins)} of {tried}{some}")
    return (
        "Weights of U_sem between 0 and 1 with which the mix is better than "
        f"both its parts, with every seed: {'; '.join(told)}."
    )


def coverage_views(records: Records) -> Table:
    r"""Binary, log-scaled and TF-IDF coverage on novel contexts."""
    dataset = first_dataset(records)
    found = records.one(f"{dataset}/coverage-views") or {}
    rows = []
    for view, by_reference in found.items():
        paper = of_paper(dataset, published.VIEWS.get(view))
        rows.append(
            (
                view,
                by_reference["test"]["auroc"],
                by_reference["train"]["auroc"],
                paper[0] if paper else None,
                by_reference["test"]["aupr"],
                by_reference["train"]["aupr"],
                paper[1] if paper else None,
                by_reference["test"]["separation"],
                paper[2] if paper else None,
            )
        )
    return Table(
        "coverage",
        f"Views of coverage on novel contexts, {dataset}",
        (
            "view",
            "AUROC",
            "AUROC, ID from train",
            "paper",
            "AUPR",
            "AUPR, ID from train",
            "paper",
            "separation",
            "paper",
        ),
        rows,
        (
            "Novel contexts (partition `table2`) against the ID triples of "
            "test, or as many triples of train. Separation is the difference "
            "of mean doubts. Binary coverage is the definition of a novel "
            "context, so its 1.0 is by construction.",
        ),
    )


def tau(records: Records) -> Table:
    r"""CAGP by the quantile of the threshold."""
    dataset = first_dataset(records)
    first = records.seeds(f"{dataset}/tau")[:1]
    rows = []
    for quantile, found in (first[0] if first else {}).items():
        counts = found["counts"]
        ood = counts["emerging"] + counts["novel"]
        rows.append(
            (
                quantile,
                f"{found['tau']:g}",
                counts["emerging"],
                counts["novel"],
                counts["emerging"] / ood if ood else None,
                records.spread(f"{dataset}/tau", quantile, "cagp"),
                of_paper(dataset, published.TAU.get(quantile)),
            )
        )
    return Table(
        "tau",
        f"Threshold of emerging entities, {dataset}",
        (
            "quantile",
            "tau",
            "emerging",
            "novel",
            "share of emerging",
            "CAGP AUROC",
            "paper",
        ),
        rows,
        (interval(records),),
    )


def architectures(records: Records) -> Table:
    r"""Other models behind the semantic signal."""
    dataset = first_dataset(records, "/architectures/")
    changes = records.inputs("/architectures/").get("changes", {})
    rows = []
    for model in (
        "gaussian-distmult",
        "gaussian-transe",
        "gaussian-complex",
        "gaussian-rotate",
    ):
        name = f"{dataset}/architectures/{model}"
        if not records.seeds(name):
            continue
        paper = of_paper(dataset, published.ARCHITECTURES.get(model))
        rows.append(
            (
                model,
                records.spread(name, "mrr"),
                *(
                    part
                    for place, method in enumerate(
                        ("semantic", "structural", "cagp")
                    )
                    for part in (
                        records.spread(name, "standard, stated", method),
                        paper[place] if paper else None,
                    )
                ),
                records.spread(name, "temporal-like, table2", "cagp"),
            )
        )
    return Table(
        "architectures",
        f"Architectures, standard OOD, AUROC, {dataset}",
        (
            "model",
            "MRR",
            "U_sem",
            "paper",
            "U_str",
            "paper",
            "CAGP",
            "paper",
            "CAGP, temporal-like",
        ),
        rows,
        (
            interval(records),
            "Each model is trained in the same way, so that they can be "
            f"compared with each other ({_told(changes)}); the model that "
            "ships trains longer. Temporal-like: partition of table 2.",
        ),
    )


def _told(changes: dict[str, Any]) -> str:
    return ", ".join(f"`{name}` {value}" for name, value in changes.items())


def mistakes(records: Records) -> Table:
    r"""What CAGP gets wrong among random tails."""
    dataset = first_dataset(records)
    name = f"{dataset}/mistakes"
    paths: dict[str, tuple[str, ...]] = {
        key: (key,)
        for key in ("auroc", "accuracy", "precision", "recall", "f1")
    }
    paths |= {
        key: ("confusion", key)
        for key in (
            "true_negatives",
            "false_positives",
            "false_negatives",
            "true_positives",
        )
    }
    for title, group in (
        ("false positives", "false positives"),
        ("ID", "id"),
        ("false negatives", "false negatives"),
        ("OOD", "ood"),
    ):
        for figure in ("tail degree", "relation frequency"):
            paths[f"{figure} of {title}"] = (group, figure)
    rows = []
    for title, path in paths.items():
        is_share = len(path) == 1
        rows.append(
            (
                title.replace("_", " "),
                records.spread(name, *path, digits=4 if is_share else 0),
                of_paper(dataset, published.MISTAKES.get(title)),
            )
        )
    return Table(
        "mistakes",
        f"Mistakes of CAGP, standard OOD, {dataset}",
        ("figure", "measured", "paper"),
        rows,
        (
            interval(records),
            "The threshold is the one of the best F1 on validation. The "
            "paper's errors are as many on either side, as if it had been "
            "chosen on test; its degree of ID is that of triples which were "
            "recognised as such, ours of all.",
        ),
    )
