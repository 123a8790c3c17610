"""The summary of a partition, by hand and on the data of the paper."""

import pytest
import torch

from pyg_cagp.evaluate import partition_summary
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.transforms import TemporalLikeOOD
from tests.loops import for_each

PRESET = TemporalLikeOOD.preset


def test_summary_by_hand(toy):
    got = partition_summary(toy, TemporalLikeOOD(quantile=1 / 3))
    test = got["splits"]["test"]
    assert [test[k] for k in ("id", "emerging", "novel", "total")] == [
        1,
        2,
        1,
        4,
    ]
    # (0,0,1) has no missing pair; (1,1,3) and (4,0,1) have one each, and
    # (1,2,0) two: every OOD triple lies above the ID one.
    assert test["rho"] == 0
    assert test["u_str_auroc"] == {
        "emerging": 1.0,
        "novel": 1.0,
        "overall": 1.0,
    }
    assert got["splits"]["valid"]["u_str_auroc"]["novel"] is None
    assert got["coverage"] == {"nnz": 6, "density": 6 / 15, "bytes": 24}
    assert got["tau"] == 2


def test_a_partition_with_a_reference_raises(toy, splits):
    with pytest.raises(InvalidInputError, match="'reference'"):
        partition_summary(toy, TemporalLikeOOD(reference=splits[0]))


def test_ties_count_half(toy):
    toy.edge_index[:, 7] = torch.tensor([3, 3])  # Rare, but covered.
    test = partition_summary(toy, TemporalLikeOOD(quantile=1 / 3))["splits"][
        "test"
    ]
    assert test["rho"] == 0.5
    assert test["u_str_auroc"]["emerging"] == 0.75  # 1 - rho / 2.


@pytest.mark.data
@for_each(
    ("dataset", "transform", "emerging", "overall", "rho"),
    [
        ("fb15k-237", PRESET("table2"), 0.7841, 0.9353, 0.432),
        ("fb15k-237", PRESET("stated"), 0.8214, 0.9879, 0.357),
        ("fb15k-237", PRESET("appendix"), 0.7954, 0.9615, 0.409),
        ("wn18rr", TemporalLikeOOD(inclusive=True), None, None, 0.132),
    ],
)
def test_summary_of_the_data_of_the_paper(
    real, dataset, transform, emerging, overall, rho
):
    got = partition_summary(real(dataset), transform)
    test = got["splits"]["test"]
    assert test["rho"] == pytest.approx(rho, abs=5e-4)
    auroc = test["u_str_auroc"]
    assert auroc["emerging"] == pytest.approx(1 - test["rho"] / 2)
    assert auroc["novel"] == 1.0
    if emerging:
        assert auroc["emerging"] == pytest.approx(emerging, abs=5e-5)
        assert auroc["overall"] == pytest.approx(overall, abs=5e-5)
        assert got["coverage"]["nnz"] == 138_694
        assert got["coverage"]["density"] == pytest.approx(0.0402, abs=5e-5)
