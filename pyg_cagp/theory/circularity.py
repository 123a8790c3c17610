r"""How much of a result the definition of OOD has decided already."""

from typing import Any

from torch_geometric.data import Data

from pyg_cagp.coverage import Coverage
from pyg_cagp.metrics import auroc
from pyg_cagp.theory.signals import check_labelled


def circularity(data: Data) -> dict[str, Any]:
    r"""Tells how well OOD test triples are found with nothing but the two
    numbers that define them.

    Where the labels are a function of frequency and coverage, so is the oracle
    :math:`\mathbb{1}[\min(\text{freq}(h), \text{freq}(t)) < \tau \text{ or }
    U_{\text{str}} > 0]`, and its AUROC is 1 before anything is learned. The
    same frequency and coverage without the threshold are shown beside it.

    Args:
        data (Data): A graph that
            :class:`~pyg_cagp.transforms.TemporalLikeOOD` has labelled.

    Returns:
        The AUROC of the :obj:`oracle`, of rarity (the negative of the smaller
        frequency) and of structural uncertainty, and a sentence on what it
        means; :obj:`None` for all where there is nothing to tell apart.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.transforms import TemporalLikeOOD
        >>> circularity(TemporalLikeOOD()(load("synthetic")))["oracle"]
        1.0
    """
    check_labelled(data)
    coverage = Coverage.from_data(data)
    head, tail = data.edge_index[:, data.test_mask]
    label = data.ood_type[data.test_mask] > 0
    if bool(label.all()) or not bool(label.any()):
        return {"oracle": None, "rarity": None, "structural": None}
    frequency = coverage.frequency()
    smaller = frequency[head].minimum(frequency[tail])
    missing = coverage.missing(head, data.edge_type[data.test_mask], tail)
    # The largest frequency that is emerging, whichever way ties are decided.
    emerging = data.ood_type[data.test_mask] == 1
    rare = (
        smaller <= smaller[emerging].max()
        if bool(emerging.any())
        else smaller < 0
    )
    oracle = auroc((rare | (missing > 0)).double(), label)
    return {
        "oracle": oracle,
        "rarity": auroc(-smaller, label),
        "structural": auroc(missing, label),
        "verdict": "labels follow from frequency and coverage: a detector that "
        "knows both is perfect by construction"
        if oracle == 1
        else "labels do not follow from frequency and coverage alone",
    }
