r"""Measures the assumptions of the paper."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch_geometric.utils import scatter

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.metrics import kind_auroc
from pyg_cagp.protocols import LabelledTriples
from pyg_cagp.theory.overlap import (
    EPSILONS,
    Triples,
    check_kinds,
    frequency_overlap,
)
from pyg_cagp.uncertainty import StructuralUncertainty, normalised_semantic


class Signals(NamedTuple):
    r"""Semantic and structural uncertainty, both on :math:`[0, 2]`, and the
    kind of each test triple.
    """

    semantic: Tensor
    structural: Tensor
    kind: Tensor

    def area(self, score: Tensor, *kinds: int) -> float | None:
        r"""Returns :func:`~pyg_cagp.metrics.kind_auroc` of a score.

        Args:
            score (torch.Tensor): One number for each test triple.
            *kinds (int): 1 for emerging, 2 for novel.
        """
        return kind_auroc(score, self.kind, *kinds)


def signals(test: LabelledTriples, variance: Tensor) -> Signals:
    r"""Returns both signals of the test triples.

    Args:
        test (LabelledTriples): The test triples, labelled by
            :class:`~pyg_cagp.protocols.TemporalLike`.
        variance (torch.Tensor): The variance of each entity.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.protocols import TemporalLike
        >>> test = TemporalLike().label(load("synthetic"), "test")
        >>> uncertainty = signals(test, torch.rand(2000))
        >>> uncertainty.area(uncertainty.structural, 2)
        1.0
    """
    check_kinds(test)
    size = test.coverage.num_nodes
    if variance.shape != (size,):
        raise InvalidInputError(
            f"'variance' must have one entry for each of {size} entities (got "
            f"shape {list(variance.shape)})"
        )
    broken = (~variance.isfinite()).nonzero()
    if broken.numel():
        entity = int(broken[0])
        raise InvalidInputError(
            f"'variance' must hold finite numbers (got "
            f"{float(variance[entity])} for entity {entity})"
        )
    return Signals(
        normalised_semantic(variance, test.head, test.tail),
        StructuralUncertainty(test.coverage)(*test.triples).double(),
        test.kind,
    )


def assumptions(
    test: LabelledTriples,
    variance: Tensor,
    *,
    train: Triples | None = None,
    epsilons: Sequence[float] = EPSILONS,
) -> dict[str, Any]:
    r"""Measures the assumptions A1 to A6 of the `"Decomposing Uncertainty in
    Probabilistic Knowledge Graph Embeddings: Why Entity Variance Is Not Enough"
    <https://arxiv.org/abs/2512.22318>`_ paper on the test triples of a graph.

    * A1, variance falls with frequency: Spearman's rank correlation, and
      whether an entity of higher frequency always has the smaller variance.
    * A2, ID triples are covered: the share with :math:`U_{\text{str}} = 0`.
    * A3, frequencies overlap: :func:`frequency_overlap`, against ID triples
      and, where they are given, against training triples.
    * A4, the semantic gap is bounded: :math:`\Delta = \max_{\text{ID}}
      \tilde{U}_{\text{sem}} - \min_{\text{novel}} \tilde{U}_{\text{sem}} < 1`,
      and the share of pairs whose gap is below 1.
    * A5, coverage is not degenerate: :math:`0 < \rho < 1` with
      :math:`\rho = P(U_{\text{str}} = 0 \mid \text{emerging})`.
    * A6, emerging entities have the larger semantic uncertainty: the share of
      pairs in which they do, which is the AUROC, and whether they do in all.

    Args:
        test (LabelledTriples): The test triples, labelled by
            :class:`~pyg_cagp.protocols.TemporalLike`.
        variance (torch.Tensor): The variance of each entity, such as
            :obj:`model.mean_variance(torch.arange(num_nodes))`.
        train (tuple, optional): The training triples. (default: :obj:`None`)
        epsilons (sequence, optional): The distances of A3.
            (default: :obj:`(1, 2, 5, 10, 20, 50, 100)`)

    Returns:
        For each assumption, its measure and whether it :obj:`holds`;
        :obj:`None` without triples to measure it on.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.protocols import TemporalLike
        >>> test = TemporalLike().label(load("synthetic"), "test")
        >>> result = assumptions(test, 1 / (1 + test.coverage.frequency()))
        >>> result["A1"]["spearman"], result["A2"]["coverage"]
        (-1.0, 1.0)
    """
    uncertainty = signals(test, variance)
    semantic, structural, kind = uncertainty
    covered = share_covered(structural[kind == 0])
    rho = share_covered(structural[kind == 1])
    separation = uncertainty.area(semantic, 1)
    overlap = {"id": frequency_overlap(test, epsilons=epsilons)}
    if train is not None:
        overlap["train"] = frequency_overlap(
            test, epsilons=epsilons, train=train
        )
    shares = [s for s in overlap["id"].values() if not math.isnan(s)]
    delta = semantic_gap(uncertainty)
    return {
        "A1": _monotone(test.coverage.frequency(), variance),
        "A2": {"coverage": covered, "holds": _is_one(covered)},
        "A3": {**overlap, "holds": min(shares) == 1 if shares else None},
        "A4": {
            "delta": delta,
            "share_below_1": _share_below(uncertainty, 1.0),
            "holds": None if delta is None else delta < 1,
        },
        "A5": {"rho": rho, "holds": None if rho is None else 0 < rho < 1},
        "A6": {"auroc": separation, "holds": _is_one(separation)},
    }


def _is_one(share: float | None) -> bool | None:
    return None if share is None else share == 1


def semantic_gap(uncertainty: Signals) -> float | None:
    r"""Returns :math:`\Delta` of A4; :obj:`None` without both kinds."""
    id_values = uncertainty.semantic[uncertainty.kind == 0]
    novel = uncertainty.semantic[uncertainty.kind == 2]
    if id_values.numel() == 0 or novel.numel() == 0:
        return None
    return float(id_values.max() - novel.min())


def _share_below(uncertainty: Signals, gap: float) -> float | None:
    # The share of pairs of an ID and a novel triple with a smaller gap.
    id_values = uncertainty.semantic[uncertainty.kind == 0].sort().values
    novel = uncertainty.semantic[uncertainty.kind == 2]
    if id_values.numel() == 0 or novel.numel() == 0:
        return None
    below = torch.searchsorted(id_values, novel + gap)
    return float(below.double().mean()) / id_values.numel()


def share_covered(structural: Tensor) -> float | None:
    r"""Returns the share of triples with :math:`U_{\text{str}} = 0`."""
    if structural.numel() == 0:
        return None
    return float((structural == 0).double().mean())


def _monotone(frequency: Tensor, variance: Tensor) -> dict[str, Any]:
    frequency = frequency.cpu().double()
    values = variance.detach().cpu().double()
    constant = min(values.unique().numel(), frequency.unique().numel()) == 1
    # Importing SciPy takes longer than importing all of pyg_cagp.
    from scipy.stats import spearmanr

    spearman = None if constant else float(spearmanr(frequency, values)[0])
    # The variance falls if each value is below all values of lower frequency.
    order = frequency.argsort(stable=True)
    _, group = frequency[order].unique_consecutive(return_inverse=True)
    size = int(group[-1]) + 1
    smallest, largest = (
        scatter(values[order], group, dim_size=size, reduce=reduce)
        for reduce in ("min", "max")
    )
    falls = bool((largest[1:] < smallest[:-1]).all())
    return {"spearman": spearman, "holds": falls}
