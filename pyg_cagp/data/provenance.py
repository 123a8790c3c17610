r"""What a result was computed from and with, for records."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from torch_geometric.data import Data

from pyg_cagp.data.digest import kg_digest


def describe_graph(kg: Data) -> dict[str, Any]:
    r"""Returns the sizes of a graph and its digest.

    Args:
        kg (Data): The graph.
    """
    return {
        "num_nodes": kg.num_nodes,
        "num_relations": kg.num_relations,
        "num_train": int(kg.train_mask.sum()),
        "num_val": int(kg.val_mask.sum()),
        "num_test": int(kg.test_mask.sum()),
        "sha256": kg_digest(kg),
    }


def package_versions() -> dict[str, str]:
    r"""Returns the versions of what a result depends on."""
    found = {"python": platform.python_version()}
    for package in ("pyg_cagp", "torch", "torch-geometric", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
