r"""The predictions of the paper's theorems beside measured values."""

from typing import Any

from torch import Tensor

from pyg_cagp.protocols import LabelledTriples
from pyg_cagp.theory.assumptions import semantic_gap, share_silent, signals


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
      U_{\text{str}}` with :math:`\alpha < 1 / (1 + \Delta)` keeps the AUROC of
      1 on novel contexts, and beats either signal alone. What is measured is at
      that bound.

    Args:
        test (LabelledTriples): The test triples, labelled by
            :class:`~pyg_cagp.protocols.TemporalLike`.
        variance (torch.Tensor): The variance of each entity.

    Example:
        >>> from pyg_cagp.datasets import load
        >>> from pyg_cagp.protocols import TemporalLike
        >>> test = TemporalLike().label(load("synthetic"), "test")
        >>> found = theorems(test, 1 / (1 + test.coverage.frequency()))
        >>> part = found["structural on emerging"]
        >>> abs(part["predicted"] - part["measured"]) < 1e-12
        True
    """
    found = signals(test, variance)
    semantic, structural, kind = found
    rho = share_silent(structural[kind == 1])
    result: dict[str, Any] = {
        "semantic on novel": {
            "predicted": 0.5,
            "measured": found.area(semantic, 2),
        },
        "structural on emerging": {
            "predicted": None if rho is None else 1 - rho / 2,
            "predicted by the paper": None if rho is None else 1 - rho,
            "measured": found.area(structural, 1),
        },
        "structural on novel": {
            "predicted": 1.0,
            "measured": found.area(structural, 2),
        },
    }
    delta = semantic_gap(found)
    if delta is None:
        return result
    bound = min(1.0, 1 / (1 + max(delta, 0.0)))
    # The bound itself is left out: there, the best ID triple ties.
    alpha = bound * (1 - 1e-6)
    mixed = alpha * semantic + (1 - alpha) * structural
    result["mix"] = {
        "alpha bound": bound,
        "on novel": found.area(mixed, 2),
        "on emerging": found.area(mixed, 1),
        "overall": found.area(mixed, 1, 2),
        "semantic overall": found.area(semantic, 1, 2),
        "structural overall": found.area(structural, 1, 2),
    }
    return result
