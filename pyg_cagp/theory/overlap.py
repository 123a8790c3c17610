r"""Assumption A3: novel contexts have the frequencies of other triples."""

from collections.abc import Sequence
from typing import get_args

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage
from pyg_cagp.data import as_kg, triples
from pyg_cagp.protocols import LabelledTriples, Partition, TemporalLike
from pyg_cagp.typing import Reference

#: The distances of the paper.
EPSILONS = (1, 2, 5, 10, 20, 50, 100)


def label_test(
    kg: Data, partition: Partition = "stated"
) -> tuple[Data, LabelledTriples]:
    r"""Checks a graph, and returns it with its labelled test triples.

    Args:
        kg (Data): The graph, or anything else that
            :func:`~pyg_cagp.data.as_kg` takes.
        partition (str or TemporalLikeOOD, optional): The partition; see
            :class:`~pyg_cagp.protocols.TemporalLike`.
            (default: :obj:`"stated"`)
    """
    kg = as_kg(kg)
    coverage = Coverage._from_kg(kg)
    return kg, TemporalLike(partition)._label(kg, "test", coverage)


def frequency_distance(
    kg: Data,
    *,
    reference: Reference = "id",
    partition: Partition = "stated",
) -> Tensor:
    r"""Returns, for each novel-context test triple, how far its frequencies are
    from those of the nearest ordinary triple.

    .. math::
        \min_{(h', r', t')} \max \left(
        |\text{freq}(h) - \text{freq}(h')|,
        |\text{freq}(t) - \text{freq}(t')| \right)

    is the smallest :math:`\epsilon` for which A3 holds for the triple. One
    search for nearest neighbours in the maximum norm answers all
    :math:`\epsilon`, exactly and in :math:`O(n \log n)`.

    Args:
        kg (Data): The graph, or anything else that
            :func:`~pyg_cagp.data.as_kg` takes.
        reference (str, optional): The ordinary triples: :obj:`"id"` for the ID
            triples of test, as the assumption is stated, or :obj:`"train"` for
            training triples, as the paper measured it. (default: :obj:`"id"`)
        partition (str or TemporalLikeOOD, optional): The partition.
            (default: :obj:`"stated"`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> distance = frequency_distance(load("synthetic"))
        >>> bool((distance >= 0).all())
        True
    """
    check_choice("reference", reference, get_args(Reference))
    return distance(*label_test(kg, partition), reference)


def distance(kg: Data, test: LabelledTriples, reference: Reference) -> Tensor:
    r"""Returns :func:`frequency_distance` of labelled test triples.

    Args:
        kg (Data): The graph, which was checked.
        test (LabelledTriples): Its test triples.
        reference (str): :obj:`"id"` or :obj:`"train"`.
    """
    # Importing it takes longer than importing all of pyg_cagp.
    from scipy.spatial import KDTree

    frequency = test.coverage.frequency()

    def points(head: Tensor, tail: Tensor) -> Tensor:
        return frequency[torch.stack([head, tail])].t().double().cpu()

    tested, kind = points(test.head, test.tail), test.kind.cpu()
    novel = tested[kind == 2]
    if reference == "id":
        ordinary = tested[kind == 0]
    else:
        head, _, tail = triples(kg, "train")
        ordinary = points(head, tail)
    if novel.numel() == 0 or ordinary.numel() == 0:
        return torch.full((novel.size(0),), torch.inf, dtype=torch.double)
    tree = KDTree(ordinary.unique(dim=0).numpy())
    found, _ = tree.query(novel.numpy(), p=float("inf"))
    return torch.from_numpy(found)


def frequency_overlap(
    kg: Data,
    *,
    epsilons: Sequence[float] = EPSILONS,
    reference: Reference = "id",
    partition: Partition = "stated",
) -> dict[float, float]:
    r"""Returns the share of novel-context test triples that have a
    frequency-matched ordinary triple, for each :math:`\epsilon`; see
    :func:`frequency_distance`. NaN if there are no novel contexts.

    Args:
        kg (Data): The graph, or anything else that
            :func:`~pyg_cagp.data.as_kg` takes.
        epsilons (sequence, optional): The distances.
            (default: :obj:`(1, 2, 5, 10, 20, 50, 100)`)
        reference (str, optional): :obj:`"id"` or :obj:`"train"`.
            (default: :obj:`"id"`)
        partition (str or TemporalLikeOOD, optional): The partition.
            (default: :obj:`"stated"`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> share = frequency_overlap(load("synthetic"))
        >>> share[1] <= share[10] <= share[100]
        True
    """
    found = frequency_distance(kg, reference=reference, partition=partition)
    return shares(found, epsilons)


def shares(distance: Tensor, epsilons: Sequence[float]) -> dict[float, float]:
    r"""Returns the share of distances up to each :math:`\epsilon`.

    Args:
        distance (torch.Tensor): The distances.
        epsilons (sequence): The values of :math:`\epsilon`.
    """
    return {
        epsilon: float((distance <= epsilon).double().mean())
        for epsilon in epsilons
    }
