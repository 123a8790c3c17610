r"""The digest and the sizes of a graph."""

import hashlib
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp.data.kg import MASKS


def kg_digest(data: Data) -> str:
    r"""Returns the SHA-256 of a graph: of its triples, its splits, and, if it
    has any, the names behind its ids.

    Graphs with the same triples but other ids have different digests, as the
    results of one do not hold for the other.

    Args:
        data (Data): The graph.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> kg_digest(load("synthetic")) == kg_digest(load("synthetic"))
        True
    """
    digest = hashlib.sha256(f"{data.num_nodes} {data.num_relations}".encode())
    for key in ("edge_index", "edge_type", *MASKS):
        tensor: Tensor = data[key]
        digest.update(f"\n{key} {list(tensor.shape)}\n".encode())
        digest.update(tensor.cpu().contiguous().numpy().tobytes())
    for key in ("node_names", "relation_names"):
        names = data.get(key)
        if names is not None:
            # With lengths, ("a", "bc") and ("ab", "c") differ.
            text = "".join(f"{len(name)}:{name}" for name in map(str, names))
            digest.update(f"\n{key}\n{text}".encode())
    return digest.hexdigest()


def describe_graph(kg: Data) -> dict[str, Any]:
    r"""Returns the sizes of a graph and its digest.

    Args:
        kg (Data): The graph.
    """
    sizes = {f"num_{mask[:-5]}": int(kg[mask].sum()) for mask in MASKS}
    keys = "num_nodes", "num_relations"
    return {key: kg[key] for key in keys} | sizes | {"sha256": kg_digest(kg)}
