"""Spread over seeds, against scipy."""

import numpy as np
import pytest
from scipy.stats import sem, t

from pyg_cagp.data import describe_graph
from pyg_cagp.evaluate import Result, seed_spread
from pyg_cagp.exceptions import InvalidInputError


def test_spread_equals_scipy():
    values = [0.31, 0.36, 0.33, 0.30]
    records = [
        {"a": {"mrr": value, "name": "x"}, "none": None, "rows": [1]}
        for value in values
    ]
    got = seed_spread(records, level=0.9)
    assert got["none"] is None
    assert got["a"]["name"] is None
    assert got["rows"] is None
    mrr = got["a"]["mrr"]
    low, high = t.interval(0.9, 3, np.mean(values), sem(values))
    assert mrr["mean"] == pytest.approx(np.mean(values))
    assert mrr["std"] == pytest.approx(np.std(values, ddof=1))
    assert (mrr["low"], mrr["high"]) == pytest.approx((low, high))
    assert mrr["num"] == 4


def test_bad_records_raise(toy):
    with pytest.raises(InvalidInputError, match="'results'"):
        seed_spread([{"a": 1}])
    other = toy.clone()
    other.edge_type = other.edge_type.flip(0)
    records = [
        Result("x", {"a": 1}, graph=describe_graph(kg)) for kg in (toy, other)
    ]
    with pytest.raises(InvalidInputError, match="one graph"):
        seed_spread(records)
    assert seed_spread(records[:1] * 2)["a"]["std"] == 0
