r"""What a result was computed from, for records."""

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
