r"""What several tables ask for."""

from typing import Any

from pyg_cagp.reproduce.tables.detection import DATASETS
from pyg_cagp.reproduce.tables.records import Records


def first_dataset(records: Records) -> str:
    r"""Returns the graph of tables that show one: FB15k-237, if it is there."""
    found = records.datasets(DATASETS)
    return found[0] if found else DATASETS[0]


def of_paper(dataset: str, figure: Any) -> Any:
    r"""Returns a figure of the paper where it is of that graph."""
    return figure if dataset == "fb15k-237" else None


def models_of(records: Records, dataset: str) -> str | None:
    r"""Returns the name of the cells of the model that is judged on a graph."""
    for model in ("gaussian-distmult", "gaussian-complex"):
        name = f"{dataset}/models/{model}"
        if records.seeds(name):
            return name
    return None
