r"""Coverage as sparse tensors of other libraries."""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from pyg_cagp.coverage.views import weigh
from pyg_cagp.exceptions import MissingDependencyError
from pyg_cagp.typing import WITH_TORCH_SPARSE, CoverageView, Role

if TYPE_CHECKING:
    from pyg_cagp.coverage.store import CompressedPairs


def to_sparse_csr(
    pairs: "CompressedPairs", view: CoverageView, role: Role
) -> Tensor:
    r"""Returns a view as a :obj:`torch.sparse_csr` tensor."""
    rowptr, col, keep = _seen_in_role(pairs, role)
    return torch.sparse_csr_tensor(
        rowptr,
        col,
        weigh(pairs, view, role)[keep],
        size=(pairs.num_nodes, pairs.num_relations),
        check_invariants=False,  # Rows are sorted and complete already.
    )


def to_sparse_tensor(
    pairs: "CompressedPairs", view: CoverageView | None, role: Role
) -> Any:
    r"""Returns a view, or both counts, as a :obj:`SparseTensor`."""
    torch_sparse = _import_torch_sparse()
    rowptr, col, keep = _seen_in_role(pairs, role)
    if view is None:
        counts = (pairs.counts("head"), pairs.counts("tail"))
        value = torch.stack(counts, dim=1)[keep]
    else:
        value = weigh(pairs, view, role)[keep]
    return torch_sparse.SparseTensor(
        rowptr=rowptr,
        col=col,
        value=value,
        sparse_sizes=(pairs.num_nodes, pairs.num_relations),
        is_sorted=True,
    )


def _seen_in_role(
    pairs: "CompressedPairs", role: Role
) -> tuple[Tensor, Tensor, Tensor]:
    keep = pairs.counts(role) > 0
    before = torch.cat([keep.new_zeros(1).long(), keep.long().cumsum(0)])
    return before[pairs.rowptr.long()], pairs.col[keep].long(), keep


def _import_torch_sparse() -> Any:
    if not WITH_TORCH_SPARSE:
        raise MissingDependencyError(
            "this needs torch-sparse, which has to be compiled against your "
            "torch: pip install --no-build-isolation torch-scatter torch-sparse"
        )
    import torch_sparse

    return torch_sparse
