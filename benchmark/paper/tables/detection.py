r"""Tables 1 to 4 of the paper, and the same for other labels."""

from collections.abc import Mapping

from benchmark.paper import published
from benchmark.paper.rivals import OTHERS
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Spread, Table

#: The graphs, in the order of columns.
DATASETS = (
    "fb15k-237",
    "wn18rr",
    "icews14",
    "codex-s",
    "yago-sample",
    "yago3-10",
    "synthetic",
    "subsample",
)

#: The methods, in the order of rows, as they are called in tables.
METHODS = {
    "score": "negative score (triple energy)",
    "probability": "1 - softmax probability",
    "energy": "energy of the query",
    "ukge": "UKGE",
    "beurre": "BEUrRE",
    "mc dropout": "MC Dropout, variance",
    "mc dropout, mean": "MC Dropout, mean",
    "ensemble": "Deep Ensemble, mutual information",
    "ensemble, mean": "Deep Ensemble, mean",
    "sngp": "SNGP, variance",
    "sngp, mean": "SNGP, mean-field probability",
    "gpn": "Graph Posterior Network",
    "relation variance": "relation-conditioned variance",
    "semantic": "U_sem",
    "semantic, max": "U_sem, larger of both ends",
    "frequency": "1 / (1 + frequency)",
    "structural": "U_str",
    "structural, directed": "U_str, directed",
    "structural, log": "U_str, log counts",
    "structural, tfidf": "U_str, TF-IDF",
    "structural, smoothed": "U_str, smoothed",
    "average": "simple average",
    "cagp": "CAGP",
    "cagp, max": "CAGP, larger of both ends",
    "cagp, frequency": "CAGP with frequency for variance",
    "evidence, no score": "all evidence but scores",
    "evidence": "all evidence",
}

CIRCULAR = (
    "Novel contexts are defined by missing coverage, and emerging entities by "
    "frequency: an oracle of both has an AUROC of 1 by construction. Where the "
    "threshold is so low that only entities without a training triple are "
    "emerging, or none, U_str alone is such an oracle."
)


def first_dataset(records: Records, part: str = "") -> str:
    r"""Returns the graph of tables that show one: FB15k-237, if it is there.

    Args:
        records (Records): The records.
        part (str, optional): If given, graphs with records of this part of the
            grid come before others.
    """
    found = records.datasets(DATASETS)
    having = {n.split("/")[0] for n in records.names if part in f"{n}/"}
    return (*(d for d in found if d in having), *found, DATASETS[0])[0]


def interval(records: Records) -> str:
    r"""Returns what figures with an interval are."""
    if records.num_seeds == 1:
        return "One seed."
    return (
        f"Mean over {records.num_seeds} seeds (or as many as stand in "
        "brackets) ± half the width of a 95 % interval (Student's t); without "
        "± where all seeds agree."
    )


def area(
    records: Records,
    dataset: str,
    protocol: str,
    preset: str,
    method: str,
    row: str = "overall",
) -> Spread | None:
    r"""Returns the AUROC of a method over seeds."""
    kind = "rivals" if method in OTHERS else "detection"
    name = f"{dataset}/{kind}/{protocol}-{preset}"
    return records.spread(name, "methods", method, row, "auroc")


def by_dataset(
    records: Records,
    name: str,
    title: str,
    protocol: str,
    preset: str,
    paper: Mapping[str, tuple[float, ...]],
    places: dict[str, int],
    notes: tuple[str, ...] = (),
) -> Table:
    r"""Returns AUROCs of all methods on all graphs, beside the paper's.

    Args:
        records (Records): The records.
        name (str): The name of the table.
        title (str): The heading.
        protocol (str): The protocol.
        preset (str): The partition.
        paper (dict): The paper's figures by method.
        places (dict): Which of them belongs to which graph.
        notes (tuple, optional): Sentences below it.
    """
    datasets = [
        dataset
        for dataset in records.datasets(DATASETS)
        if records.seeds(f"{dataset}/detection/{protocol}-{preset}")
    ]
    columns = ["method"]
    for dataset in datasets:
        columns.append(dataset)
        if dataset in places:
            columns.append("paper")
    rows = []
    for method, title_of in METHODS.items() if datasets else ():
        row: list[object] = [title_of]
        for dataset in datasets:
            row.append(area(records, dataset, protocol, preset, method))
            if dataset in places:
                figures = paper.get(method)
                row.append(figures[places[dataset]] if figures else None)
        rows.append(row)
    return Table(name, title, columns, rows, (interval(records), *notes))


def table1(records: Records) -> Table:
    r"""Temporal-like OOD, with the partition that gives the paper's counts."""
    return by_dataset(
        records,
        "table1",
        "Temporal-like OOD, AUROC (partition of the paper's tables 1 and 2)",
        "temporal-like",
        "table2",
        published.TEMPORAL,
        {"fb15k-237": 0, "yago3-10": 1},
        (CIRCULAR,),
    )


def stated(records: Records) -> Table:
    r"""Temporal-like OOD, with the partition that the paper's text states."""
    return by_dataset(
        records,
        "stated",
        "Temporal-like OOD, AUROC (partition as the paper's text states it)",
        "temporal-like",
        "stated",
        {},
        {},
        (CIRCULAR,),
    )


def inclusive(records: Records) -> Table:
    r"""The same, with entities at the threshold counted as emerging."""
    return by_dataset(
        records,
        "inclusive",
        "Temporal-like OOD, AUROC (as stated, threshold included)",
        "temporal-like",
        "inclusive",
        {},
        {},
        (CIRCULAR,),
    )


def table2(records: Records) -> Table:
    r"""By kind of OOD."""
    return _by_kind(
        records,
        "table2",
        "By kind of OOD, AUROC",
        published.STRATIFIED,
        published.STRATIFIED_COUNTS,
    )


def appendix(records: Records) -> Table:
    r"""The same, with the partition of the paper's appendix."""
    return _by_kind(
        records,
        "appendix",
        "By kind of OOD, AUROC (partition of the paper's appendix)",
        published.APPENDIX,
        published.APPENDIX_COUNTS,
        (
            "It is computed for FB15k-237 and YAGO3-10. On WN18RR, ICEWS14, "
            "CoDEx-S and YAGO-sample it is the partition of table `stated` or "
            "`inclusive` (see table `partitions`).",
        ),
    )


def _by_kind(
    records: Records,
    preset: str,
    title: str,
    paper: Mapping[str, tuple[float | None, ...]],
    papers_counts: Mapping[str, int],
    elsewhere: tuple[str, ...] = (),
) -> Table:
    r"""Returns AUROCs by kind, with the partition that the table is named
    after.
    """
    dataset = first_dataset(records, f"/detection/temporal-like-{preset}/")
    is_papers = dataset == "fb15k-237"
    kinds = ("emerging", "novel", "overall")
    columns = ["method"]
    for kind in kinds:
        columns += [kind, "paper"] if is_papers else [kind]
    rows = []
    for method, title_of in METHODS.items():
        row: list[object] = [title_of]
        for place, kind in enumerate(kinds):
            row.append(
                area(records, dataset, "temporal-like", preset, method, kind)
            )
            if is_papers:
                row.append(paper[method][place] if method in paper else None)
        rows.append(row)
    notes = [interval(records), CIRCULAR]
    name = f"{dataset}/detection/temporal-like-{preset}"
    for result in records.seeds(name)[:1]:
        counts = result["counts"]["test"]
        told = ", ".join(f"{n:,} {kind}" for kind, n in counts.items())
        if is_papers:
            papers = (f"{papers_counts[kind]:,} {kind}" for kind in counts)
            told += f" (paper: {', '.join(papers)})"
        notes.append(f"Test triples: {told}.")
    return Table(preset, f"{title}, {dataset}", columns, rows, notes, elsewhere)


def table3(records: Records) -> Table:
    r"""Standard OOD: random tails."""
    return by_dataset(
        records,
        "table3",
        "Standard OOD (random tails), AUROC",
        "standard",
        "stated",
        published.STANDARD,
        published.STANDARD_PLACES,
        (
            "For the paper's rows of the average and of CAGP, see table "
            "`leak`: on FB15k-237, some of the scales that see labels give "
            "that of CAGP.",
        ),
    )


def table4(records: Records) -> Table:
    r"""Methods by shift."""
    dataset = first_dataset(records)
    columns = (
        "method",
        "random tails",
        "paper",
        "temporal-like",
        "paper",
    )
    rows = []
    for method, title in METHODS.items():
        figures = published.SHIFTS.get(method)
        if dataset != "fb15k-237":
            figures = None
        rows.append(
            (
                title,
                area(records, dataset, "standard", "stated", method),
                figures[0] if figures else None,
                area(records, dataset, "temporal-like", "table2", method),
                figures[1] if figures else None,
            )
        )
    return Table(
        "table4",
        f"Methods by shift, AUROC, {dataset}",
        columns,
        rows,
        (interval(records), CIRCULAR),
    )


def comprehensive(records: Records) -> Table:
    r"""All kinds of OOD at once."""
    return by_dataset(
        records,
        "comprehensive",
        "Emerging entities, novel contexts and random tails at once, AUROC",
        "comprehensive",
        "stated",
        {},
        {},
    )


def verified(records: Records) -> Table:
    r"""Triples that people have found to be false."""
    return by_dataset(
        records,
        "verified-negatives",
        "Triples that people found to be false, AUROC",
        "verified-negatives",
        "stated",
        {},
        {},
    )
