r"""What each end of a triple adds to the doubt about it."""

from collections.abc import Iterator

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import Role
from pyg_cagp.uncertainty.cagp import SimpleAverage
from pyg_cagp.uncertainty.structural import StructuralUncertainty

ROLES: tuple[Role, Role] = ("head", "tail")

#: Pairs that are asked about at once while a table is filled.
CHUNK = 2**20


def pair_tables(
    structural: StructuralUncertainty,
    dtype: torch.dtype,
    inverses: bool,
    max_bytes: int,
) -> dict[Role, Tensor]:
    r"""Returns how much evidence each pair of an entity and a relation lacks,
    as a head and as a tail.

    Args:
        structural (StructuralUncertainty): What knows the evidence.
        dtype (torch.dtype): The type of what is returned.
        inverses (bool): Whether they will be asked for inverse relations.
        max_bytes (int): The largest size of what :func:`lay_out` may return.
    """
    cells = structural.num_nodes * structural.num_relations
    num_bytes = (3 if inverses else 2) * cells * dtype.itemsize
    if num_bytes > max_bytes:
        raise InvalidInputError(
            f"'max_bytes' must allow {num_bytes}, which a table of "
            f"{structural.num_nodes} entities and {structural.num_relations} "
            f"relations may take (got {max_bytes}); ask the estimator itself, "
            f"which needs no table"
        )
    return {
        role: torch.cat(
            [
                (1 - structural.evidence(entity, relation, role)).to(dtype)
                for entity, relation in _pairs(structural)
            ]
        ).view(structural.num_nodes, structural.num_relations)
        for role in ROLES
    }


def lay_out(roles: dict[Role, Tensor], inverses: bool) -> tuple[Tensor, int]:
    r"""Returns one table with a row for each entity, and the column at which
    the relations of tails begin in it; those of heads begin at the first.

    The head of an inverse relation is the tail of the relation. So, with
    inverses, the columns are those of heads, of tails, and of heads again: an
    inverse relation, whose id is larger by the number of relations, finds the
    other role there, whichever end is asked for.

    Args:
        roles (dict): What :func:`pair_tables` returns.
        inverses (bool): Whether the table is asked for inverse relations.
    """
    head, tail = roles["head"], roles["tail"]
    # Where a role makes no difference, one part serves both ends.
    if torch.equal(head, tail):
        return torch.cat([head, head], 1) if inverses else head, 0
    parts = [head, tail, head] if inverses else [head, tail]
    return torch.cat(parts, dim=1), head.size(1)


def _pairs(
    structural: StructuralUncertainty,
) -> Iterator[tuple[Tensor, Tensor]]:
    r"""Yields all pairs of an entity and a relation, a part at a time."""
    cells = structural.num_nodes * structural.num_relations
    for start in range(0, cells, CHUNK):
        part = torch.arange(
            start, min(start + CHUNK, cells), device=structural.device
        )
        yield (
            part // structural.num_relations,
            part % structural.num_relations,
        )


def add_semantic(
    doubt: SimpleAverage, roles: dict[Role, Tensor]
) -> tuple[dict[Role, Tensor], Tensor | None]:
    r"""Weighs the evidence that pairs lack, and adds to it what is due to the
    entity alone.

    Args:
        doubt (SimpleAverage): What knows the weights and the variances.
        roles (dict): What :func:`pair_tables` returns.

    :rtype: (:class:`dict`, :class:`torch.Tensor` or :obj:`None`), the second
        being a number for each entity, the larger of which at both ends is to
        be added, if the estimator asks for that.
    """
    width = doubt.high_ - doubt.low_
    scale = 2 / width if width > 0 else 1.0
    entity = doubt.alpha * scale * (doubt.semantic.entity() - doubt.low_)
    # How much of an entity's own part belongs to each end; the larger of two
    # belongs to neither and is found at the time of asking.
    shares: dict[str, dict[Role, float]] = {
        "mean": {"head": 0.5, "tail": 0.5},
        "max": {"head": 0.0, "tail": 0.0},
        "head": {"head": 1.0, "tail": 0.0},
        "tail": {"head": 0.0, "tail": 1.0},
    }
    combine = doubt.semantic.combine
    mixed = {}
    for role, table in roles.items():
        own = (shares[combine][role] * entity).to(table.device)
        mixed[role] = (1 - doubt.alpha) * table + own.unsqueeze(1)
    return mixed, entity if combine == "max" else None
