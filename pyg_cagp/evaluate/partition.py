r"""The summary of a partition of a graph."""

from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp.coverage import Coverage
from pyg_cagp.coverage.kinds import KINDS
from pyg_cagp.evaluate.results import PartitionResult
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.metrics import kind_auroc
from pyg_cagp.transforms import TemporalLikeOOD


def partition_summary(kg: Data, transform: TemporalLikeOOD) -> PartitionResult:
    r"""Returns the sizes of a partition, and measures of its circularity.

    For validation and test, it has the numbers of ID, emerging and novel
    triples, :math:`\rho = P(U_{\text{str}} = 0 \mid \text{emerging})`, and the
    AUROC of structural uncertainty for each kind, which is 1 for novel contexts
    by construction.

    Args:
        kg (torch_geometric.data.Data): The graph, in the form that
            :func:`~pyg_cagp.data.as_kg` returns.
        transform (TemporalLikeOOD): The partition, without a reference.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> result = partition_summary(load("synthetic"), TemporalLikeOOD())
        >>> result["splits"]["test"]["u_str_auroc"]["novel"]
        1.0
    """
    if not isinstance(transform, TemporalLikeOOD):
        raise InvalidInputError(
            f"'transform' must be a TemporalLikeOOD (got {transform!r})"
        )
    if transform.reference is not None:
        raise InvalidInputError(
            "'transform' must have no 'reference', which is the training split "
            "of 'kg'"
        )
    data = transform(kg)
    coverage = Coverage.from_data(data)
    head, tail = data.edge_index
    missing = coverage.missing(head, data.edge_type, tail)
    num_pairs = data.num_nodes * data.num_relations
    masks = {"valid": data.val_mask, "test": data.test_mask}
    options = ("quantile", "inclusive", "population", "self_loops")
    figures = {
        "num_nodes": data.num_nodes,
        "num_relations": data.num_relations,
        "num_train": int(data.train_mask.sum()),
        "coverage": {
            "nnz": coverage.nnz,
            "density": coverage.nnz / num_pairs if num_pairs else 0.0,
            "bytes": coverage.nbytes,
        },
        **{name: getattr(transform, name) for name in options},
        "tau": data.ood_tau,
        "splits": {
            name: _describe(data.ood_type[mask], missing[mask])
            for name, mask in masks.items()
        },
    }
    return PartitionResult("partition", figures)


def _describe(ood_type: Tensor, missing: Tensor) -> dict[str, Any]:
    covered = missing[ood_type == 1] == 0
    return {
        **{n: int((ood_type == kind).sum()) for kind, n in enumerate(KINDS)},
        "total": ood_type.numel(),
        "rho": float(covered.double().mean()) if covered.numel() else None,
        "u_str_auroc": {
            "emerging": kind_auroc(missing, ood_type, 1),
            "novel": kind_auroc(missing, ood_type, 2),
            "overall": kind_auroc(missing, ood_type, 1, 2),
        },
    }
