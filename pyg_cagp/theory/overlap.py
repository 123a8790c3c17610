r"""Assumption A3: novel contexts have the same frequencies as other triples."""

from collections.abc import Sequence

import torch
from torch import Tensor

from pyg_cagp.coverage.kinds import KINDS
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols import LabelledTriples

#: The distances of the paper.
EPSILONS = (1, 2, 5, 10, 20, 50, 100)

Triples = tuple[Tensor, Tensor, Tensor]


def check_kinds(test: LabelledTriples) -> None:
    r"""Checks that triples are labelled as ID, emerging or novel."""
    if not isinstance(test, LabelledTriples) or test.kinds != KINDS:
        raise InvalidInputError(
            f"'test' must be triples of TemporalLike().label(kg, 'test') (got "
            f"{test!r})"
        )


def frequency_distance(
    test: LabelledTriples, *, train: Triples | None = None
) -> Tensor:
    r"""Returns the distance of each novel-context test triple to the nearest
    ordinary triple in frequency.

    .. math::
        \min_{(h', r', t')} \max \left(
        |\text{freq}(h) - \text{freq}(h')|,
        |\text{freq}(t) - \text{freq}(t')| \right)

    is the smallest :math:`\epsilon` for which A3 holds for the triple. One
    exact search for nearest neighbours gives all, in :math:`O(n \log n)`.

    Args:
        test (LabelledTriples): The test triples, labelled by
            :class:`~pyg_cagp.protocols.TemporalLike`.
        train (tuple, optional): Training triples as the ordinary ones, as the
            paper measures it. If set to :obj:`None`, the ID triples of test, as
            A3 is stated. (default: :obj:`None`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.protocols import TemporalLike
        >>> test = TemporalLike().label(load("synthetic"), "test")
        >>> bool((frequency_distance(test) >= 0).all())
        True
    """
    # Importing SciPy takes longer than importing all of pyg_cagp.
    from scipy.spatial import KDTree

    check_kinds(test)
    frequency = test.coverage.frequency()
    points = frequency[torch.stack([test.head, test.tail], dim=1)].double()
    novel = points[test.kind == 2].cpu()
    ordinary = points[test.kind == 0]
    if train is not None:
        ordinary = frequency[torch.stack([train[0], train[2]], dim=1)].double()
    if novel.numel() == 0 or ordinary.numel() == 0:
        return torch.full((novel.size(0),), torch.inf, dtype=torch.double)
    tree = KDTree(ordinary.unique(dim=0).cpu().numpy())
    distance, _ = tree.query(novel.numpy(), p=float("inf"))
    return torch.from_numpy(distance)


def frequency_overlap(
    test: LabelledTriples,
    *,
    epsilons: Sequence[float] = EPSILONS,
    train: Triples | None = None,
) -> dict[float, float]:
    r"""Returns the share of novel-context test triples that have a
    frequency-matched ordinary triple, for each :math:`\epsilon`; see
    :func:`frequency_distance`. NaN if there are no novel contexts.

    Args:
        test (LabelledTriples): The test triples.
        epsilons (sequence, optional): The distances.
            (default: :obj:`(1, 2, 5, 10, 20, 50, 100)`)
        train (tuple, optional): Training triples as the ordinary ones.
            (default: :obj:`None`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.protocols import TemporalLike
        >>> test = TemporalLike().label(load("synthetic"), "test")
        >>> share = frequency_overlap(test)
        >>> share[1] <= share[10] <= share[100]
        True
    """
    distance = frequency_distance(test, train=train)
    return {e: float((distance <= e).double().mean()) for e in epsilons}
