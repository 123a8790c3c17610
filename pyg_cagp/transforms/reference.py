r"""The reference of a transform: the graph of a single split."""

import copy
import hashlib
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, is_tensor
from torch_geometric.data import Data, Dataset

from pyg_cagp._utils.checks import check_edges
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import as_kg, triples
from pyg_cagp.data.kg import MASKS
from pyg_cagp.exceptions import InvalidInputError


def has_splits(data: Data) -> bool:
    r"""Returns whether a data object holds all three splits."""
    return "train_edge_index" in data or all(mask in data for mask in MASKS)


def as_split(data: Data) -> Data:
    r"""Checks a single split, and converts its ids to :obj:`torch.long`."""
    for key in ("edge_index", "edge_type"):
        if key not in data:
            raise InvalidInputError(f"'data' has no '{key}'")
    num_nodes = data.num_nodes
    if num_nodes is None:
        raise InvalidInputError("'data' has no 'num_nodes'")
    head, rel, tail = check_edges(
        data.edge_index, data.edge_type, int(num_nodes), num_relations_of(data)
    )
    data.edge_index, data.edge_type = torch.stack([head, tail]), rel
    return data


def num_relations_of(data: Data) -> int:
    r"""Returns the number of relations that a split states or uses."""
    number = data.get("num_relations")
    if number is not None:
        return int(number)
    return int(data.edge_type.max()) + 1 if data.edge_type.numel() else 0


def training_edges(reference: Any) -> tuple[Tensor, Tensor, int, int]:
    r"""Returns the training edges of a reference, and its numbers of entities
    and relations.
    """
    if isinstance(reference, Data) and not has_splits(reference):
        reference = as_split(copy.copy(reference))
        edges = reference.edge_index, reference.edge_type
        return *edges, reference.num_nodes, num_relations_of(reference)
    kg = as_kg(reference)
    head, rel, tail = triples(kg, "train")
    return torch.stack([head, tail]), rel, kg.num_nodes, kg.num_relations


def needs_reference(name: str, needed: str) -> InvalidInputError:
    r"""Returns the error for a single split without a reference."""
    return InvalidInputError(
        f"'data' holds no train_mask, val_mask and test_mask, so {name} needs "
        f"a reference; pass {needed} as 'reference', or join the splits by "
        f"pyg_cagp.data.as_kg first"
    )


def extend_coverage(coverage: Coverage, data: Data) -> Coverage:
    r"""Extends a coverage by entities and relations that only a split has."""
    before = coverage.num_nodes, coverage.num_relations
    needed = int(data.num_nodes or 0), num_relations_of(data)
    after = tuple(map(max, before, needed))
    if after == before:
        return coverage
    empty = data.edge_type.new_empty(0)
    return coverage.clone().update(empty.expand(2, 0), empty, *after)


def describe_options(transform: Any, names: Iterable[str]) -> str:
    r"""Returns the :obj:`repr` of a transform. PyG detects a changed
    :obj:`pre_transform` by it, so it has a digest of the reference.
    """
    options = [f"{name}={getattr(transform, name)!r}" for name in names]
    reference = getattr(transform, "reference", None)
    if reference is not None:
        options.append(f"reference={fingerprint(reference)}")
    return f"{type(transform).__name__}({', '.join(options)})"


def fingerprint(reference: Any) -> str:
    r"""Returns a digest of the content of a reference."""
    if isinstance(reference, (tuple, list)):
        return f"({', '.join(map(fingerprint, reference))})"
    if isinstance(reference, Dataset):
        return f"{reference!r} {fingerprint(reference.get(0))}"
    if isinstance(reference, Coverage):
        tensors = list(reference.tensors().values())
    elif isinstance(reference, Data):
        tensors = [v for v in reference.to_dict().values() if is_tensor(v)]
    else:
        return repr(reference)
    digest = hashlib.sha256()
    for tensor in tensors:
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return f"{type(reference).__name__}[{digest.hexdigest()[:12]}]"
