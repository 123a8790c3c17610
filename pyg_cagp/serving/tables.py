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
    structural: StructuralUncertainty, dtype: torch.dtype, max_bytes: int
) -> dict[Role, Tensor]:
    r"""Returns how much evidence each pair of an entity and a relation lacks,
    as a head and as a tail.

    Args:
        structural (StructuralUncertainty): What knows the evidence.
        dtype (torch.dtype): The type of what is returned.
        max_bytes (int): The largest size of both tables together.
    """
    num_bytes = (
        2 * structural.num_nodes * structural.num_relations * dtype.itemsize
    )
    if num_bytes > max_bytes:
        raise InvalidInputError(
            f"'max_bytes' must be at least {num_bytes} for "
            f"{structural.num_nodes} entities and {structural.num_relations} "
            f"relations (got {max_bytes}); ask the estimator itself, which "
            f"needs no table"
        )
    return {
        role: torch.cat(
            [
                (1 - structural.evidence(entity, relation, role)).to(dtype)
                for entity, relation in _pairs(structural)
            ]
        )
        for role in ROLES
    }


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
        spread = own.repeat_interleave(doubt.num_relations)
        mixed[role] = (1 - doubt.alpha) * table + spread
    return mixed, entity if combine == "max" else None
