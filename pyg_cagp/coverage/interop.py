r"""Coverage as sparse tensors of other libraries, and back."""

from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor

from pyg_cagp.coverage.pairs import PairCounts, key_dtype
from pyg_cagp.coverage.views import weigh
from pyg_cagp.exceptions import InvalidInputError, MissingDependencyError
from pyg_cagp.typing import WITH_TORCH_SPARSE, CoverageView, Role

if TYPE_CHECKING:
    from pyg_cagp.coverage.store import CompressedPairs

P = TypeVar("P", bound="CompressedPairs")


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


def from_sparse_tensor(cls: type[P], adj: Any, role: Role) -> P:
    r"""Builds an index from a :obj:`SparseTensor`."""
    _import_torch_sparse()
    row, col, value = adj.coo()
    if value is not None and bool((value != value.long()).any()):
        raise InvalidInputError("'adj' must hold whole counts")
    num_nodes, num_relations = adj.sizes()[:2]
    if value is not None and value.dim() == 2 and value.size(1) == 2:
        head, tail = value.long().unbind(1)
    elif role in ("head", "tail"):
        count = torch.ones_like(row) if value is None else value.long()
        empty = torch.zeros_like(count)
        head, tail = (count, empty) if role == "head" else (empty, count)
    else:
        shape = None if value is None else list(value.shape)
        raise InvalidInputError(
            f"'adj' must hold two counts a pair (got values of shape {shape}); "
            f"pass role='head' or role='tail' if all its evidence is of one "
            f"role"
        )
    if bool(((head < 0) | (tail < 0)).any()):
        raise InvalidInputError("'adj' must hold no negative count")
    seen = head + tail > 0
    key = (row * num_relations + col)[seen]
    key = key.to(key_dtype(num_nodes, num_relations))
    key, order = key.sort()
    if bool((key[1:] == key[:-1]).any()):
        raise InvalidInputError("'adj' must be coalesced (a pair occurs twice)")
    pairs = PairCounts(key, head[seen][order], tail[seen][order])
    return cls._from_pairs(pairs, num_nodes, num_relations)


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
