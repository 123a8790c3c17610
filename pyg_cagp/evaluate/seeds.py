r"""The spread of figures over seeds."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pyg_cagp.evaluate.result import Result
from pyg_cagp.evaluate.results import SpreadResult
from pyg_cagp.exceptions import InvalidInputError


def seed_spread(
    results: Sequence[Mapping[str, Any]], *, level: float = 0.95
) -> SpreadResult:
    r"""Summarises an evaluation of models that differ only in their seeds.

    This spread is over seeds on one graph. The intervals of a single result are
    over the choice of test triples.

    Args:
        results (sequence): Two or more results with the same figures.
        level (float, optional): The level of the interval of the mean, which is
            that of Student's t. (default: :obj:`0.95`)

    Returns:
        The same figures, each as :obj:`mean`, :obj:`std`, :obj:`low`,
        :obj:`high` and :obj:`num`; :obj:`None` where one of the results has
        no number.

    Example:
        >>> seed_spread([{"mrr": 0.30}, {"mrr": 0.32}, {"mrr": 0.34}])
        SpreadResult(protocol='seed-spread', seed=0)
        figure    mean     std     low    high  num
        mrr     0.3200  0.0200  0.2703  0.3697    3
    """
    if len(results) < 2:
        raise InvalidInputError(
            f"'results' must have at least two results (got {len(results)})"
        )
    graphs = {r.graph.get("sha256") for r in results if isinstance(r, Result)}
    if len(graphs) > 1:
        raise InvalidInputError("'results' must be of one graph (got several)")
    from scipy.stats import t

    factor = float(t.ppf((1 + level) / 2, len(results) - 1))
    figures = _summary([dict(result) for result in results], factor)
    return SpreadResult("seed-spread", figures)


def _summary(values: list[Any], factor: float) -> Any:
    first = values[0]
    if isinstance(first, Mapping):
        keys = [key for key in first if all(key in v for v in values)]
        return {key: _summary([v[key] for v in values], factor) for key in keys}
    kinds = [type(value) for value in values]
    if bool in kinds or not all(issubclass(k, (int, float)) for k in kinds):
        return None
    num = len(values)
    mean = sum(values) / num
    std = math.sqrt(sum((v - mean) ** 2 for v in values) / (num - 1))
    width = factor * std / math.sqrt(num)
    ends = {"low": mean - width, "high": mean + width}
    return {"mean": mean, "std": std, **ends, "num": num}
