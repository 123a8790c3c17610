r"""Comparisons of two methods, and clusters of the bootstrap."""

from typing import Any, get_args

import torch
from torch import Tensor

from pyg_cagp import metrics
from pyg_cagp.typing import Cluster

#: The kinds of cluster.
CLUSTERS = get_args(Cluster)


def clusters(
    head_index: Tensor, rel_type: Tensor, tail_index: Tensor, by: Cluster | None
) -> Tensor | None:
    r"""Returns the cluster of each triple, since triples that share an entity
    are not independent.

    Example:
        >>> head, rel, tail = torch.tensor([[0, 0, 1], [0, 0, 1], [2, 3, 3]])
        >>> clusters(head, rel, tail, "query")
        tensor([0, 0, 3])
    """
    if by is None:
        return None
    if by == "entities":
        return torch.stack([head_index, tail_index])
    if by == "query":
        return head_index * (int(rel_type.max()) + 1) + rel_type
    return head_index if by == "head" else tail_index


def comparison(
    first: str, second: str, result: metrics.Comparison
) -> dict[str, Any]:
    r"""Returns the row of a comparison of two methods."""
    keys = ("difference", "low", "high", "p_bootstrap")
    values = dict(zip(keys, result[2:], strict=True))
    return {"first": first, "second": second, **values}


def with_holm(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    r"""Adds the p values of all rows after Holm's correction."""
    tests = [name for name in rows[0] if name.startswith("p_")] if rows else []
    for name in tests:
        adjusted = metrics.holm([row[name] for row in rows])
        for row, p in zip(rows, adjusted, strict=True):
            row[f"{name}_holm"] = p
    return rows
