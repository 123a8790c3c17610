r"""Tables that follow from the graphs alone."""

from typing import Any

from benchmark.paper import published
from benchmark.paper.tables.common import KINDS
from benchmark.paper.tables.detection import DATASETS
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Table


def statistics(records: Records) -> Table:
    r"""Sizes of graphs."""
    rows = []
    for dataset in records.datasets(DATASETS):
        found = records.one(f"{dataset}/graph")
        if found is None:
            continue
        sizes = ("num_nodes", "num_relations", "num_train", "num_val")
        ours = [found[name] for name in (*sizes, "num_test")]
        paper = published.STATISTICS.get(dataset)
        verdict = None if paper is None else tuple(ours) == paper
        pairs = found["num_nodes"] * found["num_relations"]
        rows.append(
            (
                dataset,
                *ours,
                found["coverage_nnz"],
                f"{100 * found['coverage_nnz'] / pairs:.1f} %",
                f"{found['coverage_bytes'] / 1e6:.2f}",
                verdict,
            )
        )
    return Table(
        "statistics",
        "Datasets",
        (
            "dataset",
            "entities",
            "relations",
            "train",
            "validation",
            "test",
            "covered pairs",
            "of all pairs",
            "coverage, MB",
            "as in the paper",
        ),
        rows,
    )


def partitions(records: Records) -> Table:
    r"""What each preset makes of test triples."""
    rows = []
    for dataset in records.datasets(DATASETS):
        found = records.one(f"{dataset}/graph")
        for preset, summary in (found or {"presets": {}})["presets"].items():
            test = summary["splits"]["test"]
            area_of = test["u_str_auroc"]
            rows.append(
                (
                    dataset,
                    preset,
                    f"{summary['tau']:g}",
                    test["emerging"],
                    test["novel"],
                    test["id"],
                    test["rho"],
                    area_of["emerging"],
                    area_of["novel"],
                    area_of["overall"],
                )
            )
    return Table(
        "partitions",
        "Partitions of test triples, and U_str on each",
        (
            "dataset",
            "preset",
            "tau",
            "emerging",
            "novel",
            "ID",
            "rho",
            "U_str on emerging",
            "on novel",
            "overall",
        ),
        rows,
        (
            "rho is the share of emerging triples with full coverage. With "
            "ties counted half, U_str on emerging is 1 - rho / 2, not 1 - rho.",
        ),
    )


def frequencies(records: Records) -> Table:
    r"""How often entities of each kind of triple were seen."""
    rows: list[tuple[Any, ...]] = []
    for dataset in records.datasets(DATASETS):
        found = records.one(f"{dataset}/frequencies")
        for reading, kinds in (found or {}).items():
            rows.append(
                (
                    dataset,
                    reading,
                    f"{kinds['tau']:g}",
                    *(kinds[kind]["count"] for kind in KINDS),
                    *(
                        _mean_median(kinds[kind][ends])
                        for ends in ("rarer end", "both ends")
                        for kind in KINDS
                    ),
                )
            )
        if found is not None and dataset == "fb15k-237":
            told = [published.FREQUENCIES[kind] for kind in KINDS]
            rows += [
                (
                    dataset,
                    f"{preset}, paper",
                    None,
                    *(counts[kind] for kind in KINDS),
                    *(f"{mean} / {median}" for mean, median in told),
                    *(None for _ in KINDS),
                )
                for preset, counts in (
                    ("appendix", published.APPENDIX_COUNTS),
                    ("table2", published.STRATIFIED_COUNTS),
                )
            ]
    return Table(
        "frequencies",
        "Frequencies of entities in test triples, mean / median",
        (
            "dataset",
            "partition",
            "tau",
            *KINDS,
            *(f"{kind}, rarer end" for kind in KINDS),
            *(f"{kind}, both ends" for kind in KINDS),
        ),
        rows,
        (
            "A frequency is a number of slots of training triples; a self-loop "
            "fills two. The paper has the same means and medians for both of "
            "its partitions, and does not say of which end.",
        ),
    )


def _mean_median(found: dict[str, float] | None) -> str | None:
    if found is None:
        return None
    return f"{found['mean']:.1f} / {found['median']:g}"
