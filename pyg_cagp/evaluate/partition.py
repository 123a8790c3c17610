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
    r"""Returns the sizes of a partition, and how circular it is.

    For validation and test, the summary counts ID, emerging and novel triples,
    and gives the AUROC of structural uncertainty
    :math:`U_{\text{str}} = 2 - c(h, r) - c(t, r)` for each kind (ties counted
    half) with :math:`\rho = P(U_{\text{str}} = 0 \mid \text{emerging})`. That
    of novel contexts is 1 by construction.

    Args:
        kg (torch_geometric.data.Data): The graph, in the one graph form.
        transform (TemporalLikeOOD): The partition, by the graph's own training
            edges.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> result = partition_summary(load("synthetic"), TemporalLikeOOD())
        >>> result["splits"]["test"]["u_str_auroc"]["novel"]
        1.0
    """
    if not isinstance(transform, TemporalLikeOOD):
        raise InvalidInputError(
            f"'transform' must be a TemporalLikeOOD (got "
            f"{type(transform).__name__})"
        )
    if transform.reference is not None:
        raise InvalidInputError(
            "'transform' must have no 'reference': the graph is its own"
        )
    data = transform(kg)
    coverage = Coverage.from_data(data)
    head, tail = data.edge_index
    missing = coverage.missing(head, data.edge_type, tail)
    cells = data.num_nodes * data.num_relations
    figures = {
        "num_nodes": data.num_nodes,
        "num_relations": data.num_relations,
        "num_train": int(data.train_mask.sum()),
        "coverage": {
            "nnz": coverage.nnz,
            "density": coverage.nnz / cells if cells else 0.0,
            "bytes": coverage.nbytes,
        },
        "quantile": transform.quantile,
        "inclusive": transform.inclusive,
        "population": transform.population,
        "self_loops": transform.self_loops,
        "tau": data.ood_tau,
        "splits": {
            name: _describe(data.ood_type[mask], missing[mask])
            for name, mask in (
                ("valid", data.val_mask),
                ("test", data.test_mask),
            )
        },
    }
    return PartitionResult("partition", figures)


def _describe(ood_type: Tensor, missing: Tensor) -> dict[str, Any]:
    counts = {
        name: int((ood_type == kind).sum()) for kind, name in enumerate(KINDS)
    }
    emerging = missing[ood_type == 1]
    return {
        **counts,
        "total": ood_type.numel(),
        "rho": float((emerging == 0).double().mean())
        if emerging.numel()
        else None,
        "u_str_auroc": {
            "emerging": kind_auroc(missing, ood_type, 1),
            "novel": kind_auroc(missing, ood_type, 2),
            "overall": kind_auroc(missing, ood_type, 1, 2),
        },
    }
