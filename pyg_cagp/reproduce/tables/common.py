r"""What several tables ask for."""

from typing import Any

from pyg_cagp.reproduce.budget import BACKBONES
from pyg_cagp.reproduce.tables.detection import DATASETS
from pyg_cagp.reproduce.tables.records import Records
from pyg_cagp.reproduce.tables.table import Spread


def first_dataset(records: Records) -> str:
    r"""Returns the graph of tables that show one: FB15k-237, if it is there."""
    found = records.datasets(DATASETS)
    return found[0] if found else DATASETS[0]


def of_paper(dataset: str, figure: Any) -> Any:
    r"""Returns a figure of the paper where it is of that graph."""
    return figure if dataset == "fb15k-237" else None


def appendix_of(dataset: str) -> str:
    r"""Returns the partition that gives the figures of the paper's appendix."""
    return "inclusive" if dataset == "wn18rr" else "appendix"


def models_of(records: Records, dataset: str) -> str | None:
    r"""Returns the name of the cells of the model that is judged on a graph."""
    model = BACKBONES.get(dataset, "gaussian-distmult")
    name = f"{dataset}/models/{model}"
    return name if records.seeds(name) else None


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
