r"""Views of coverage as weights and as sparse tensors."""

from typing import Any

import torch
from torch import Tensor
from torch_geometric.utils import scatter

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage.store import CompressedPairs
from pyg_cagp.exceptions import MissingDependencyError
from pyg_cagp.typing import WITH_TORCH_SPARSE, CoverageView, Role


def weigh(pairs: CompressedPairs, view: CoverageView, role: Role) -> Tensor:
    r"""Returns one float for each pair, of shape :obj:`[nnz]`."""
    check_choice("view", view, CoverageView)
    count = pairs.counts(role)
    if view == "binary":
        return (count > 0).float()
    if view == "count" or count.numel() == 0:
        return count.float()
    if view == "log":
        return torch.log1p(count) / torch.log1p(count.max()).clamp(min=1e-12)
    return _tfidf(pairs, count)


def _tfidf(pairs: CompressedPairs, count: Tensor) -> Tensor:
    col = pairs.col.long()
    num_entities = scatter(
        (count > 0).long(), col, dim_size=pairs.num_relations
    )
    rarity = 1 + torch.log((1 + pairs.num_nodes) / (1 + num_entities).double())
    weight = count * rarity[col]
    row = pairs.row()
    length = scatter(weight.square(), row, dim_size=pairs.num_nodes).sqrt()
    return (weight / length[row].clamp(min=1e-12)).float()


def to_sparse_csr(
    pairs: CompressedPairs, view: CoverageView, role: Role
) -> Tensor:
    r"""Returns a view as a :obj:`torch.sparse_csr` tensor."""
    rowptr, col, mask = _select_role(pairs, role)
    return torch.sparse_csr_tensor(
        rowptr,
        col,
        weigh(pairs, view, role)[mask],
        size=(pairs.num_nodes, pairs.num_relations),
        check_invariants=False,  # Rows are sorted and complete already.
    )


def to_sparse_tensor(
    pairs: CompressedPairs, view: CoverageView | None, role: Role
) -> Any:
    r"""Returns a view, or both counts, as a :obj:`SparseTensor`."""
    torch_sparse = _import_torch_sparse()
    rowptr, col, mask = _select_role(pairs, role)
    if view is None:
        counts = (pairs.counts("head"), pairs.counts("tail"))
        value = torch.stack(counts, dim=1)[mask]
    else:
        value = weigh(pairs, view, role)[mask]
    return torch_sparse.SparseTensor(
        rowptr=rowptr,
        col=col,
        value=value,
        sparse_sizes=(pairs.num_nodes, pairs.num_relations),
        is_sorted=True,
    )


def _select_role(
    pairs: CompressedPairs, role: Role
) -> tuple[Tensor, Tensor, Tensor]:
    mask = pairs.counts(role) > 0
    before = torch.cat([mask.new_zeros(1).long(), mask.long().cumsum(0)])
    return before[pairs.rowptr.long()], pairs.col[mask].long(), mask


def _import_torch_sparse() -> Any:
    if not WITH_TORCH_SPARSE:
        raise MissingDependencyError(
            "'to_sparse_tensor' needs torch-sparse, compiled against your "
            "torch: pip install --no-build-isolation torch-scatter torch-sparse"
        )
    import torch_sparse

    return torch_sparse
