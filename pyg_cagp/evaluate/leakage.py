r"""Circularity: results that follow from the definition of OOD."""

import torch
from torch import Tensor

from pyg_cagp.coverage import Coverage
from pyg_cagp.evaluate.results import CircularityResult
from pyg_cagp.metrics import auroc


def circularity(
    coverage: Coverage,
    head_index: Tensor,
    rel_type: Tensor,
    tail_index: Tensor,
    label: Tensor,
) -> CircularityResult:
    r"""Measures how far labels follow from the two numbers that define the
    paper's partitions: the smaller frequency of a triple's ends, and the number
    of its pairs that are not covered.

    The oracle scores a triple by the share of OOD triples among all triples
    with the same two numbers. No other detector that reads only these numbers
    has a larger AUROC on these triples. If it is 1, labels are a function of
    frequency and coverage.

    Args:
        coverage (Coverage): The coverage of the training triples.
        head_index (torch.Tensor): The head indices.
        rel_type (torch.Tensor): The relation types.
        tail_index (torch.Tensor): The tail indices.
        label (torch.Tensor): 1 for OOD, 0 for ID.

    Returns:
        The AUROC of the :obj:`oracle`, of :obj:`rarity` (the negative of the
        smaller frequency) and of :obj:`structural` uncertainty, all
        :obj:`None` without both ID and OOD triples, and a :obj:`verdict`.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.protocols import TemporalLike
        >>> kg = load("synthetic")
        >>> test = TemporalLike().label(kg, "test")
        >>> circularity(test.coverage, *test.triples, test.label)["oracle"]
        1.0
    """
    is_ood = label.bool()
    figures = dict.fromkeys(("oracle", "rarity", "structural"))
    if is_ood.numel() == 0 or bool(is_ood.all()) or not bool(is_ood.any()):
        verdict = "there are not both ID and OOD triples"
        return CircularityResult("circularity", {**figures, "verdict": verdict})
    frequency = coverage.frequency()
    smaller = frequency[head_index].minimum(frequency[tail_index])
    missing = coverage.missing(head_index, rel_type, tail_index)
    _, group, size = (3 * smaller + missing).unique(
        return_inverse=True, return_counts=True
    )
    share = torch.bincount(group, weights=is_ood.double()) / size
    oracle = auroc(share[group], is_ood)
    verdict = "labels do not follow from frequency and coverage alone"
    if oracle == 1:
        verdict = (
            "labels follow from frequency and coverage: a detector that knows "
            "both is perfect by construction"
        )
    figures = {
        "oracle": oracle,
        "rarity": auroc(-smaller, is_ood),
        "structural": auroc(missing, is_ood),
        "verdict": verdict,
    }
    return CircularityResult("circularity", figures)
