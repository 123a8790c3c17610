r"""How far figures differ from seed to seed."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pyg_cagp.evaluate.record import Record
from pyg_cagp.exceptions import InvalidInputError


def seed_spread(
    records: Sequence[Record | Mapping[str, Any]], level: float = 0.95
) -> dict[str, Any]:
    r"""Sums up the same evaluation of models that differ by their seed alone.

    This is another source of spread than the choice of test triples, which
    intervals within a record tell of, and is reported apart from it: seeds are
    not independent graphs.

    Args:
        records (sequence): Two or more records with the same figures.
        level (float, optional): The level of the interval of the mean, which is
            Student's. (default: :obj:`0.95`)

    Returns:
        The same figures, each as :obj:`mean`, :obj:`std`, :obj:`low`,
        :obj:`high` and :obj:`num`; :obj:`None` where one of the records has
        no number.

    Example:
        >>> found = seed_spread([{"mrr": 0.30}, {"mrr": 0.32}, {"mrr": 0.34}])
        >>> round(found["mrr"]["mean"], 3), round(found["mrr"]["std"], 3)
        (0.32, 0.02)
    """
    if len(records) < 2:
        raise InvalidInputError(
            f"'records' must be of at least two seeds (got {len(records)})"
        )
    graphs = {r.graph["sha256"] for r in records if isinstance(r, Record)}
    if len(graphs) > 1:
        raise InvalidInputError("'records' must be of one graph (got several)")
    from scipy.stats import t

    factor = float(t.ppf((1 + level) / 2, len(records) - 1))
    return _sum_up([dict(record) for record in records], factor)


def _sum_up(values: list[Any], factor: float) -> Any:
    first = values[0]
    if isinstance(first, Mapping):
        keys = [key for key in first if all(key in v for v in values)]
        return {key: _sum_up([v[key] for v in values], factor) for key in keys}
    if any(
        isinstance(v, bool) or not isinstance(v, (int, float)) for v in values
    ):
        return None
    num = len(values)
    mean = sum(values) / num
    std = math.sqrt(sum((v - mean) ** 2 for v in values) / (num - 1))
    width = factor * std / math.sqrt(num)
    return {
        "mean": mean,
        "std": std,
        "low": mean - width,
        "high": mean + width,
        "num": num,
    }
