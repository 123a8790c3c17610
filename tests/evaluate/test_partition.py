"""The summary of a partition, on the paper's data."""

import pytest
import torch

from pyg_cagp.evaluate import partition_summary
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.transforms import TemporalLikeOOD


def test_by_hand(toy):
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


def test_a_reference_is_refused(toy, splits):
    with pytest.raises(InvalidInputError, match="must have no 'reference'"):
        partition_summary(toy, TemporalLikeOOD(reference=splits[0]))


def test_ties_count_half(toy):
    toy.edge_index[:, 7] = torch.tensor([3, 3])  # Rare, but covered.
    test = partition_summary(toy, TemporalLikeOOD(quantile=1 / 3))["splits"][
        "test"
    ]
    assert test["rho"] == 0.5
    assert test["u_str_auroc"]["emerging"] == 0.75  # 1 - rho / 2.


@pytest.mark.data
def test_structural_uncertainty_on_fb15k_237(real):
    transform = TemporalLikeOOD.preset("table2")
    got = partition_summary(real("fb15k-237"), transform)
    assert got["coverage"]["nnz"] == 138_694
    assert got["coverage"]["density"] == pytest.approx(0.0402, abs=5e-5)
    test = got["splits"]["test"]
    auroc = test["u_str_auroc"]
    assert auroc["emerging"] == pytest.approx(0.7841, abs=5e-5)
    assert auroc["novel"] == 1.0
    assert auroc["overall"] == pytest.approx(0.9353, abs=5e-5)
    assert test["rho"] == pytest.approx(0.432, abs=5e-4)
    assert auroc["emerging"] == pytest.approx(1 - test["rho"] / 2)


@pytest.mark.data
@pytest.mark.parametrize(
    ("preset", "emerging", "overall", "rho"),
    [("stated", 0.8214, 0.9879, 0.357), ("appendix", 0.7954, 0.9615, 0.409)],
)
def test_the_other_rows_of_the_audit(real, preset, emerging, overall, rho):
    summary = partition_summary(
        real("fb15k-237"), TemporalLikeOOD.preset(preset)
    )
    test = summary["splits"]["test"]
    assert test["u_str_auroc"]["emerging"] == pytest.approx(emerging, abs=5e-5)
    assert test["u_str_auroc"]["overall"] == pytest.approx(overall, abs=5e-5)
    assert test["rho"] == pytest.approx(rho, abs=5e-4)


@pytest.mark.data
def test_rho_of_wn18rr(real):
    summary = partition_summary(real("wn18rr"), TemporalLikeOOD(inclusive=True))
    assert summary["splits"]["test"]["rho"] == pytest.approx(0.132, abs=5e-4)
