r"""The probability that a pair without training triples is possible."""

import torch
from torch import Tensor
from torch.nn import ModuleDict

from pyg_cagp.coverage import Coverage
from pyg_cagp.typing import Role
from pyg_cagp.uncertainty.parts import CoverageModule


class PossiblePairs(CoverageModule):
    r"""The posterior probability that an entity can have a role in a relation,
    given its counts.

    A share :math:`\theta_r` of the entities can have the role. These entities
    have it in a share :math:`\lambda_r` of their slots. A pair with training
    triples is possible. A pair without, of an entity with :math:`f_e` slots, is
    possible with probability

    .. math::
        P(\text{possible} \mid n_{e,r} = 0) =
        \frac{\theta_r (1 - \lambda_r)^{f_e}}
        {\theta_r (1 - \lambda_r)^{f_e} + 1 - \theta_r}.

    Both shares are estimated for each relation and role by expectation
    maximisation on the training triples alone, with a pseudo-count of one on
    each side. An update of the coverage changes counts and frequencies, but not
    the shares.

    Args:
        coverage (Coverage): The coverage of the training triples.
        role (str): :obj:`"head"` or :obj:`"tail"`.
        num_steps (int, optional): The number of steps of expectation
            maximisation. (default: :obj:`100`)

    Example:
        >>> edge_index = torch.tensor([[0, 0, 1], [1, 2, 2]])
        >>> cov = Coverage.from_edges(edge_index, torch.zeros(3).long(), 3, 1)
        >>> pairs = PossiblePairs(cov, "head")
        >>> p = pairs(torch.tensor([0, 2]), torch.tensor([0, 0]))
        >>> float(p[0]), bool(0 < p[1] < 1)
        (1.0, True)

    .. note::
        For a use of this probability, see
        ``docs/tutorials/error_ranking.md``.
    """

    theta: Tensor
    rate: Tensor

    def __init__(
        self, coverage: Coverage, role: Role, *, num_steps: int = 100
    ) -> None:
        super().__init__()
        self.coverage = coverage
        self.role = role
        frequency = coverage._frequency()
        count = coverage.counts(role).double()
        occurs = count > 0
        num = coverage.num_relations
        rel = coverage.col.long()[occurs]
        slots = frequency[coverage.row()[occurs]].double()
        zeros = torch.zeros(num, dtype=torch.double, device=rel.device)
        pairs = zeros.index_add(0, rel, torch.ones_like(slots))
        hits = zeros.index_add(0, rel, count[occurs])
        trials = zeros.index_add(0, rel, slots)
        # Entities without a hit and with the same number of slots are equal, so
        # each relation needs one group for each number of slots.
        level, place, size = frequency.unique(
            return_inverse=True, return_counts=True
        )
        flat = rel * level.numel() + place[coverage.row()[occurs]]
        num_hit = torch.bincount(flat, minlength=num * level.numel())
        without = (size[None] - num_hit.view(num, -1)).double()
        level = level.double()[None]
        theta = (pairs + 1) / (coverage.num_nodes + 2)
        rate = (hits + 1) / (trials + 2)
        for _ in range(num_steps):
            chance = _posterior(theta[:, None], rate[:, None], level)
            possible = without * chance
            theta = (pairs + possible.sum(1) + 1) / (coverage.num_nodes + 2)
            rate = (hits + 1) / (trials + (possible * level).sum(1) + 2)
        # Computed from the coverage, so not part of the state.
        self.register_buffer("theta", theta, persistent=False)
        self.register_buffer("rate", rate, persistent=False)

    def forward(self, entity: Tensor, relation: Tensor) -> Tensor:
        r"""Returns the probability that each pair is possible, without
        checks.
        """
        occurs = self.coverage._contains(entity, relation, self.role)
        return self.probability(entity, relation, occurs)

    def probability(
        self, entity: Tensor, relation: Tensor, occurs: Tensor
    ) -> Tensor:
        r"""Returns the probability that each pair is possible, given whether it
        has training triples in the role.
        """
        without = _posterior(
            self.theta.take(relation),
            self.rate.take(relation),
            self.coverage._frequency().take(entity),
        )
        return torch.where(occurs, 1.0, without)


def possible_pairs(coverage: Coverage) -> ModuleDict:
    r"""Returns :class:`PossiblePairs` of both roles."""
    roles: tuple[Role, ...] = ("head", "tail")
    return ModuleDict({role: PossiblePairs(coverage, role) for role in roles})


def _posterior(theta: Tensor, rate: Tensor, slots: Tensor) -> Tensor:
    # In logarithms, since a power of many slots underflows.
    odds = theta.log() - torch.log1p(-theta) + slots * torch.log1p(-rate)
    return torch.sigmoid(odds)
