"""The estimator of all evidence, fitted on given labels."""

import pytest
import torch

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols import protocol as protocol_of
from pyg_cagp.uncertainty import EvidenceUncertainty
from tests.loops import for_each


def labelled(kg, protocol):
    val = protocol_of(protocol, seed=3).label(kg, "val")
    return val.triples, val.label


@for_each("protocol", ["temporal-like", "standard"])
def test_fit_on_labels_of_a_protocol_equals_fit_by_the_protocol(
    world, model, coverage, triples, protocol
):
    val, label = labelled(world, protocol)
    want = EvidenceUncertainty(coverage, model).fit(
        world, protocol=protocol, seed=3
    )
    for given in (label, label.bool()):
        got = EvidenceUncertainty(coverage, model).fit_labelled(*val, given)
        assert torch.equal(got.knots_, want.knots_)
        assert torch.equal(got.slopes_, want.slopes_)
        assert got.intercept_ == want.intercept_
        assert torch.equal(got(*triples), want(*triples))


def test_mean_probability_equals_the_share_of_labels(world, coverage):
    val, label = labelled(world, "standard")
    estimator = EvidenceUncertainty(coverage)
    for given in (label, 1 - label, (label * val[0] % 3 == 1).long()):
        got = estimator.fit_labelled(*val, given)(*val)
        share = float(given.double().mean())
        assert float(got.mean()) == pytest.approx(share, abs=1e-3)


def test_bad_labels_raise(world, coverage):
    val, label = labelled(world, "standard")
    estimator = EvidenceUncertainty(coverage)
    for given, number in ((label * 0, 0), (label * 0 + 1, label.numel())):
        with pytest.raises(InvalidInputError, match=str(number)):
            estimator.fit_labelled(*val, given)
    with pytest.raises(InvalidInputError, match="'label'"):
        estimator.fit_labelled(*val, label[1:])
    with pytest.raises(InvalidInputError, match="'rel_type'"):
        estimator.fit_labelled(val[0], val[1][1:], val[2], label)
    outside = val[2].clone()
    outside[5] = world.num_nodes
    with pytest.raises(InvalidInputError, match="'tail_index'"):
        estimator.fit_labelled(val[0], val[1], outside, label)
    assert not hasattr(estimator, "slopes_")
