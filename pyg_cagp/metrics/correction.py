r"""Corrections of p-values for multiple tests."""

import math
from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    r"""Adjusts p-values for multiple tests, by the step-down method of Holm, "A
    Simple Sequentially Rejective Multiple Test Procedure" (1979).

    With :math:`p_{(1)} \leq \ldots \leq p_{(m)}`, the :math:`i`-th becomes
    :math:`\max_{j \leq i} \min(1, (m - j + 1) \, p_{(j)})`.

    Args:
        p_values (sequence): The p-values; :obj:`None` or NaN where a test was
            undefined, which stays undefined and does not count.

    Example:
        >>> holm([0.01, 0.04, None, 0.03])
        [0.03, 0.06, None, 0.06]
    """
    adjusted: list[float | None] = [None] * len(p_values)
    known = []
    for place, p in enumerate(p_values):
        if p is None or math.isnan(p):
            continue
        if not 0 <= p <= 1:
            raise ValueError(
                f"'p_values' must lie in [0, 1] (got {p} at position {place})"
            )
        known.append((p, place))
    largest = 0.0
    for done, (p, place) in enumerate(sorted(known)):
        largest = max(largest, min(1.0, (len(known) - done) * p))
        adjusted[place] = largest
    return adjusted
