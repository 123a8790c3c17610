r"""Heterogeneous graphs as knowledge graphs."""

from itertools import accumulate
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data, HeteroData

from pyg_cagp.data.kg import MASKS, check_kg
from pyg_cagp.exceptions import InvalidInputError


def from_hetero(data: HeteroData) -> Data:
    r"""Returns a heterogeneous graph in the one graph form.

    * Nodes become entities, type after type, named :obj:`type/number`, or
      :obj:`type/name` if the type has :obj:`node_names`; :obj:`node_type`
      holds their types.
    * Each edge type becomes a relation :obj:`source/relation/target`.
    * The masks of the edge types are the splits. An edge type without masks
      belongs to train; at least one must have them.
    * The reverse edge types :obj:`rev_relation` of
      :class:`~torch_geometric.transforms.ToUndirected` repeat the test triples
      and are left out.
    * A tensor :obj:`edge_*` with one entry an edge is joined if all edge types
      have it.
    """
    kinds = [kind for kind in data.edge_types if not _is_reverse(data, kind)]
    stores = [data[kind] for kind in kinds]
    if not any(mask in store for store in stores for mask in MASKS):
        raise InvalidInputError(
            f"'source' is a HeteroData object without a split; give at least "
            f"one of its edge types {', '.join(MASKS)}, one entry an edge"
        )
    sizes = {kind: _num_nodes(data, kind) for kind in data.node_types}
    starts = accumulate(sizes.values(), initial=0)
    first = dict(zip(sizes, starts, strict=False))
    masks = zip(*map(_masks, kinds, stores), strict=True)
    columns = dict(zip(MASKS, masks, strict=True))
    for key in stores[0].keys():  # noqa: SIM118 (a store is not a mapping)
        if key in ("edge_index", "edge_type", "edge_label_index"):
            continue
        if key.startswith("edge_") and all(_has(key, s) for s in stores):
            columns[key] = tuple(store[key] for store in stores)
    edges = []
    for (source, _, target), store in zip(kinds, stores, strict=True):
        head, tail = store.edge_index
        edges.append(torch.stack([head + first[source], tail + first[target]]))
    counts = torch.tensor([index.size(1) for index in edges])
    return check_kg(
        Data(
            edge_index=torch.cat(edges, dim=1),
            edge_type=torch.repeat_interleave(counts).to(edges[0].device),
            num_nodes=sum(sizes.values()),
            num_relations=len(kinds),
            node_type=torch.repeat_interleave(torch.tensor([*sizes.values()])),
            node_names=[
                f"{kind}/{name}"
                for kind, size in sizes.items()
                for name in data[kind].get("node_names", range(size))
            ],
            relation_names=["/".join(kind) for kind in kinds],
            **{key: torch.cat(parts) for key, parts in columns.items()},
        )
    )


def _is_reverse(data: HeteroData, kind: tuple[str, str, str]) -> bool:
    source, relation, target = kind
    forward = target, relation.removeprefix("rev_"), source
    return relation.startswith("rev_") and forward in data.edge_types


def _num_nodes(data: HeteroData, kind: str) -> int:
    if not data[kind].can_infer_num_nodes:
        raise InvalidInputError(
            f"node type '{kind}' has no 'num_nodes'; set "
            f"data['{kind}'].num_nodes"
        )
    return int(data[kind].num_nodes)


def _masks(kind: tuple[str, str, str], store: Any) -> list[Tensor]:
    present = [mask for mask in MASKS if mask in store]
    if present and len(present) < len(MASKS):
        raise InvalidInputError(
            f"edge type {kind} has {' and '.join(present)} only; give it "
            f"{', '.join(MASKS)} or none of them"
        )
    if present:
        return [store[mask] for mask in MASKS]
    all_edges = torch.ones_like(store.edge_index[0], dtype=torch.bool)
    return [all_edges, ~all_edges, ~all_edges]


def _has(key: str, store: Any) -> bool:
    value = store.get(key)
    return isinstance(value, Tensor) and len(value) == store.num_edges
