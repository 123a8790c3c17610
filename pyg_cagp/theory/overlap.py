r"""Assumption A3: whether frequencies alone could tell a novel context."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch_geometric.data import Data

from pyg_cagp._utils.checks import check_choice
from pyg_cagp.coverage import Coverage
from pyg_cagp.exceptions import InvalidInputError

#: The distances that the paper looks at.
EPSILONS = (1, 2, 5, 10, 20, 50, 100)


def check_labelled(data: Data) -> None:
    r"""Checks that a graph has been partitioned.

    Args:
        data (Data): The graph.
    """
    if "ood_type" not in data:
        raise InvalidInputError(
            "'data' has no 'ood_type'; apply TemporalLikeOOD to it first"
        )


def frequency_distance(data: Data, reference: str = "id") -> Tensor:
    r"""Returns, for each novel-context test triple, how far its frequencies are
    from those of the nearest ordinary triple.

    .. math::
        \min_{(h', r', t')} \max \left(
        |\text{freq}(h) - \text{freq}(h')|,
        |\text{freq}(t) - \text{freq}(t')| \right)

    is the smallest :math:`\epsilon` for which A3 holds for the triple, so all
    :math:`\epsilon` are answered by one search for nearest neighbours in the
    maximum norm, exactly and in :math:`O(n \log n)`.

    Args:
        data (Data): A graph that
            :class:`~pyg_cagp.transforms.TemporalLikeOOD` has labelled.
        reference (str, optional): Which triples are ordinary: :obj:`"id"` for
            the ID triples of test, as the assumption is stated, or
            :obj:`"train"` for training triples, as the paper has checked it.
            (default: :obj:`"id"`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.transforms import TemporalLikeOOD
        >>> distance = frequency_distance(TemporalLikeOOD()(load("synthetic")))
        >>> bool((distance >= 0).all())
        True
    """
    # Importing it takes longer than importing all of pyg_cagp.
    from scipy.spatial import KDTree

    check_choice("reference", reference, ("id", "train"))
    check_labelled(data)
    frequency = Coverage.from_data(data).frequency()
    points = frequency[data.edge_index].t().double().cpu()
    test = data.test_mask.cpu()
    kind = data.ood_type.cpu()
    ordinary = (
        test & (kind == 0) if reference == "id" else data.train_mask.cpu()
    )
    novel = points[test & (kind == 2)]
    if novel.numel() == 0 or not bool(ordinary.any()):
        return torch.full((novel.size(0),), torch.inf, dtype=torch.double)
    tree = KDTree(points[ordinary].unique(dim=0).numpy())
    distance, _ = tree.query(novel.numpy(), p=float("inf"))
    return torch.from_numpy(distance)


def frequency_overlap(
    data: Data,
    epsilons: Sequence[float] = EPSILONS,
    reference: str = "id",
) -> dict[float, float]:
    r"""Returns the share of novel-context test triples that have a
    frequency-matched ordinary triple, for each :math:`\epsilon`; see
    :func:`frequency_distance`. NaN if there are no novel contexts.

    Args:
        data (Data): A graph that
            :class:`~pyg_cagp.transforms.TemporalLikeOOD` has labelled.
        epsilons (sequence, optional): The distances.
            (default: :obj:`(1, 2, 5, 10, 20, 50, 100)`)
        reference (str, optional): :obj:`"id"` or :obj:`"train"`.
            (default: :obj:`"id"`)

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.transforms import TemporalLikeOOD
        >>> data = TemporalLikeOOD()(load("synthetic"))
        >>> share = frequency_overlap(data)
        >>> share[1] <= share[10] <= share[100]
        True
    """
    distance = frequency_distance(data, reference)
    return {
        epsilon: float((distance <= epsilon).double().mean())
        for epsilon in epsilons
    }
