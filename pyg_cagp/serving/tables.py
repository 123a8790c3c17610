r"""What each end of a triple adds to the doubt about it."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.typing import Role
from pyg_cagp.uncertainty.cagp import SimpleAverage
from pyg_cagp.uncertainty.structural import StructuralUncertainty

ROLES: tuple[Role, Role] = ("head", "tail")

#: Pairs that are asked about at once while a table is filled.
CHUNK = 2**20

#: How much of an entity's own doubt is counted at each end; the larger of both
#: is found when a triple is asked about.
SHARES: dict[str, dict[Role, float]] = {
    "mean": {"head": 0.5, "tail": 0.5},
    "max": {"head": 1.0, "tail": 1.0},
    "head": {"head": 1.0, "tail": 0.0},
    "tail": {"head": 0.0, "tail": 1.0},
}


class Parts(NamedTuple):
    r"""What doubts are made of.

    :obj:`lacking` says how much evidence each pair of an entity and a relation
    lacks in each role, and is counted with :obj:`weight`. :obj:`own` is what is
    due to the entity alone. Both are summed over the two ends of a triple,
    except that of :obj:`own` the larger one counts if :obj:`larger` is set.
    """

    lacking: dict[Role, Tensor]
    weight: float = 1.0
    own: dict[Role, Tensor] | None = None
    larger: bool = False


def parts_of(
    doubt: StructuralUncertainty | SimpleAverage,
    inverses: bool,
    max_bytes: int,
) -> Parts:
    r"""Takes an estimator apart.

    Args:
        doubt (StructuralUncertainty or SimpleAverage): The estimator.
        inverses (bool): Whether it will be asked about inverse relations.
        max_bytes (int): The largest size of what :func:`lay_out` may return.
    """
    if not isinstance(doubt, SimpleAverage):
        return Parts(_lacking(doubt, inverses, max_bytes))
    width = doubt.high_ - doubt.low_
    scale = 2 / width if width > 0 else 1.0
    entity = doubt.alpha * scale * (doubt.semantic.entity() - doubt.low_)
    combine = doubt.semantic.combine
    shares = SHARES[combine]
    # Ends that count alike share one tensor.
    counted = {share: share * entity for share in set(shares.values())}
    return Parts(
        _lacking(doubt.structural, inverses, max_bytes, mixed=True),
        1 - doubt.alpha,
        {role: counted[share] for role, share in shares.items()},
        combine == "max",
    )


def _lacking(
    structural: StructuralUncertainty,
    inverses: bool,
    max_bytes: int,
    mixed: bool = False,
) -> dict[Role, Tensor]:
    whole = structural.view in ("binary", "directed")
    dtype = torch.uint8 if whole else torch.float
    itemsize = (torch.float if mixed else dtype).itemsize
    cells = structural.num_nodes * structural.num_relations
    num_bytes = (3 if inverses else 2) * cells * itemsize
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


def lay_out(parts: Parts, inverses: bool) -> tuple[Tensor, int]:
    r"""Returns one table with a row for each entity, and the column at which
    the relations of tails begin in it; those of heads begin at the first.

    The head of an inverse relation is the tail of the relation. So, with
    inverses, the columns are those of heads, of tails, and of heads again: an
    inverse relation, whose id is larger by the number of relations, finds the
    other role there, whichever end is asked for.

    Args:
        parts (Parts): What doubts are made of. What is due to entities alone
            is in the table, unless the larger one counts.
        inverses (bool): Whether the table is asked for inverse relations.
    """
    head, tail = (_column(parts, role) for role in ROLES)
    # Where a role makes no difference, one part serves both ends.
    if torch.equal(head, tail):
        return torch.cat([head, head], 1) if inverses else head, 0
    columns = [head, tail, head] if inverses else [head, tail]
    return torch.cat(columns, dim=1), head.size(1)


def _column(parts: Parts, role: Role) -> Tensor:
    table = parts.lacking[role]
    if parts.own is None:
        return table
    weighed = parts.weight * table.float()
    if parts.larger:
        return weighed
    return weighed + parts.own[role].to(table.device).unsqueeze(1)
