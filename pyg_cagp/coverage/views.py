r"""Ways to weigh the evidence for an entity-relation pair."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch_geometric.utils import scatter

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.typing import CoverageView, Role

if TYPE_CHECKING:
    from pyg_cagp.coverage.store import CompressedPairs

VIEWS = ("binary", "count", "log", "tfidf")


def weigh(pairs: "CompressedPairs", view: CoverageView, role: Role) -> Tensor:
    r"""Returns one float for each pair, of shape :obj:`[nnz]`."""
    check_choice("view", view, VIEWS)
    count = pairs.counts(role)
    if view == "binary":
        return (count > 0).float()
    if view == "count" or count.numel() == 0:
        return count.float()
    if view == "log":
        return torch.log1p(count) / torch.log1p(count.max()).clamp(min=1e-12)
    return _tfidf(pairs, count)


def _tfidf(pairs: "CompressedPairs", count: Tensor) -> Tensor:
    col = pairs.col.long()
    num_entities = scatter(
        (count > 0).long(), col, dim_size=pairs.num_relations
    )
    rarity = 1 + torch.log((1 + pairs.num_nodes) / (1 + num_entities).double())
    weight = count * rarity[col]
    row = pairs.row()
    length = scatter(weight.square(), row, dim_size=pairs.num_nodes).sqrt()
    return (weight / length[row].clamp(min=1e-12)).float()
