r"""The kinds of triples that a run can be given."""

import torch
from torch import Tensor

from pyg_cagp.coverage import Coverage
from pyg_cagp.coverage.kinds import KINDS as TRIPLE_KINDS
from pyg_cagp.protocols import kind_of

#: The names of the kinds, by number.
KINDS = (*TRIPLE_KINDS, "unknown entity", "unknown relation")
UNKNOWN_ENTITY, UNKNOWN_RELATION = 3, 4


def kinds_of(
    coverage: Coverage,
    tau: float,
    head: Tensor,
    rel: Tensor,
    tail: Tensor,
    inclusive: bool = False,
) -> Tensor:
    r"""Returns the kind of each triple; an id of -1 is unknown. An unknown
    entity takes precedence over an unknown relation.

    Args:
        coverage (Coverage): The coverage of the training triples.
        tau (float): See :func:`~pyg_cagp.protocols.kind_of`.
        head (torch.Tensor): The head indices.
        rel (torch.Tensor): The relation types.
        tail (torch.Tensor): The tail indices.
        inclusive (bool, optional): See :func:`~pyg_cagp.protocols.kind_of`.
            (default: :obj:`False`)
    """
    kind = torch.zeros_like(rel)
    kind[rel < 0] = UNKNOWN_RELATION
    kind[(head < 0) | (tail < 0)] = UNKNOWN_ENTITY
    known = kind == 0
    triples = head[known], rel[known], tail[known]
    kind[known] = kind_of(coverage, tau, *triples, inclusive)
    return kind
