r"""What several tables ask for."""

from typing import Any

from benchmark.paper.budget import BACKBONES
from benchmark.paper.tables.records import Records
from benchmark.paper.tables.table import Spread

#: Where the paper's figures of a graph are, in tables of assumptions.
PLACES = {"fb15k-237": 0, "wn18rr": 1, "yago3-10": 2}

#: Where a model's cell has what the theorems assume and lead to.
ASSUMPTIONS: dict[str, tuple[str, ...]] = {
    "A1 Spearman": ("assumptions", "A1", "spearman"),
    "A2 coverage of ID": ("assumptions", "A2", "coverage"),
    "A4 delta": ("assumptions", "A4", "delta"),
    "A5 rho": ("assumptions", "A5", "rho"),
    "A6 semantic on emerging": ("assumptions", "A6", "auroc"),
    "semantic on novel": ("theorems", "semantic on novel", "measured"),
    "structural on novel": ("theorems", "structural on novel", "measured"),
}

#: The kinds of test triples, in the order of columns.
KINDS = ("emerging", "novel", "id")

#: What a p-value does not know.
DEPENDENT = (
    "The bootstrap takes triples to be independent of each other, which those "
    "that share an entity are not: read p as a lower bound."
)

#: Semantic signals whose mix was tried with scales that see labels.
LEAKING = ("variance", "1 / (1 + frequency)", "1 / sqrt(1 + frequency)")


def of_paper(dataset: str, figure: Any) -> Any:
    r"""Returns a figure of the paper where it is of that graph."""
    return figure if dataset == "fb15k-237" else None


def models_of(records: Records, dataset: str) -> str | None:
    r"""Returns the name of the cells of the model that is judged on a graph."""
    model = BACKBONES.get(dataset, "gaussian-distmult")
    name = f"{dataset}/models/{model}"
    return name if records.seeds(name) else None


def recipes(
    records: Records, dataset: str, setting: str, method: str
) -> Spread | None:
    r"""Returns the AUROC with the model that is trained as the paper says."""
    return records.spread(f"{dataset}/recipe", "detection", setting, method)


def winning_weights(
    records: Records, dataset: str, setting: str
) -> tuple[list[float], int]:
    r"""Returns the weights of U_sem with which a mix is better than both its
    parts, with every seed, and how many were tried.

    Args:
        records (Records): The records.
        dataset (str): The graph.
        setting (str): The protocol and the partition.
    """
    sweeps = [found[setting] for found in records.seeds(f"{dataset}/alpha")]
    # A weight of 0 or 1 leaves one of the parts.
    tried = list(enumerate(sweeps[0]["alpha"]))[1:-1] if sweeps else []
    wins = [
        weight
        for place, weight in tried
        if all(
            s["auroc"][place] > max(s["auroc"][0], s["auroc"][-1])
            for s in sweeps
        )
    ]
    return wins, len(tried)


def fewer_errors(records: Records, cell: str, method: str) -> Spread | None:
    r"""Returns by what share errors are fewer among answers than among all
    queries, where 85 % should be answered.

    Args:
        records (Records): The records.
        cell (str): The name of the cell without the seed.
        method (str): The method that decides what is answered.
    """
    shares = []
    for result in records.seeds(cell):
        found = result.get("methods", {}).get(method)
        if found is not None and result["accuracy"] < 1:
            kept = found["selective"]["0.85"]["accuracy"]
            shares.append(1 - (1 - kept) / (1 - result["accuracy"]))
    return records.spread_of(shares, 3)


def resamples_of(records: Records, part: str) -> str:
    r"""Returns how small a p-value can be, as a sentence.

    Args:
        records (Records): The records.
        part (str): A part of the names of cells that compare methods.
    """
    number = records.inputs(part).get("resamples")
    if number is None:
        return ""
    return (
        f"With {number:,} resamples it cannot be smaller than the number of "
        f"methods / {number + 1:,}."
    )
