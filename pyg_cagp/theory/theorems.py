r"""The predictions of the paper's theorems beside measured values."""

from typing import Any

from torch import Tensor

from pyg_cagp.protocols import LabelledTriples
from pyg_cagp.theory.assumptions import semantic_gap, share_covered, signals


def theorems(test: LabelledTriples, variance: Tensor) -> dict[str, Any]:
    r"""Returns the predictions of the paper's two theorems beside the measured
    values on the test triples of a graph.

    * Theorem 1 and part (i) of theorem 2: semantic uncertainty has an AUROC of
      1/2 on novel contexts.
    * Part (ii): structural uncertainty has an AUROC of :math:`1 - \rho / 2` on
      emerging entities, as ties count half (:math:`1 - \rho` in the paper).
    * Part (iii): structural uncertainty has an AUROC of 1 on novel contexts,
      by construction.
    * Part (iv): a mix :math:`\alpha \tilde{U}_{\text{sem}} + (1 - \alpha)
      U_{\text{str}}` with :math:`\alpha < 1 / (1 + \Delta)` has an AUROC of
      1 on novel contexts, and a larger one overall than either signal alone.
      It is measured at that bound.

    Args:
        test (LabelledTriples): The test triples, labelled by
            :class:`~pyg_cagp.protocols.TemporalLike`.
        variance (torch.Tensor): The variance of each entity.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.protocols import TemporalLike
        >>> test = TemporalLike().label(load("synthetic"), "test")
        >>> result = theorems(test, 1 / (1 + test.coverage.frequency()))
        >>> part = result["structural on emerging"]
        >>> abs(part["predicted"] - part["measured"]) < 1e-12
        True
    """
    uncertainty = signals(test, variance)
    semantic, structural, kind = uncertainty
    rho = share_covered(structural[kind == 1])
    result: dict[str, Any] = {
        "semantic on novel": {
            "predicted": 0.5,
            "measured": uncertainty.area(semantic, 2),
        },
        "structural on emerging": {
            "predicted": None if rho is None else 1 - rho / 2,
            "predicted by the paper": None if rho is None else 1 - rho,
            "measured": uncertainty.area(structural, 1),
        },
        "structural on novel": {
            "predicted": 1.0,
            "measured": uncertainty.area(structural, 2),
        },
    }
    delta = semantic_gap(uncertainty)
    if delta is None:
        return result
    bound = min(1.0, 1 / (1 + max(delta, 0.0)))
    # Slightly below the bound, at which an ID triple ties with a novel one.
    alpha = bound * (1 - 1e-6)
    mixed = alpha * semantic + (1 - alpha) * structural
    result["mix"] = {
        "alpha bound": bound,
        "on novel": uncertainty.area(mixed, 2),
        "on emerging": uncertainty.area(mixed, 1),
        "overall": uncertainty.area(mixed, 1, 2),
        "semantic overall": uncertainty.area(semantic, 1, 2),
        "structural overall": uncertainty.area(structural, 1, 2),
    }
    return result
