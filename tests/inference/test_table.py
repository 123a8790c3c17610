"""The inference table gives the values of CAGP."""

import pytest
import torch

from pyg_cagp import CAGP, Coverage, GaussianDistMult, LaplacePosterior
from pyg_cagp.data import triples
from pyg_cagp.exceptions import InvalidInputError, PosteriorChangedError
from pyg_cagp.inference import InferenceTable
from pyg_cagp.uncertainty import FrequencyUncertainty, StructuralUncertainty
from tests.loops import for_each


@pytest.fixture
def cagp(kg):
    torch.manual_seed(0)
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
    model.set_posterior(LaplacePosterior().fit(model, *triples(kg, "train")))
    cagp = CAGP(model, Coverage.from_data(kg)).fit(kg)
    cagp.alpha_ = 0.3
    return cagp


def every_triple(kg):
    ranges = (kg.num_nodes, kg.num_relations, kg.num_nodes)
    return torch.cartesian_prod(*map(torch.arange, ranges)).unbind(1)


@for_each("max_bytes", [2**27, 0])
def test_table_equals_cagp_on_every_triple(cagp, kg, max_bytes):
    table = InferenceTable(cagp, max_bytes=max_bytes)
    h, r, t = every_triple(kg)
    scored = table(h, r, t)
    assert torch.equal(scored.score, cagp.semantic.model(h, r, t).detach())
    expected = cagp(h, r, t)
    assert expected.unique().numel() > 100
    assert float((scored.uncertainty - expected).abs().max()) <= 1e-6
    assert torch.equal(table.uncertainty(h, r, t), scored.uncertainty)


@for_each("max_bytes", [2**27, 0])
def test_table_of_equal_variances_equals_cagp(cagp, kg, max_bytes):
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
    flat = CAGP(model, Coverage.from_data(kg)).fit(kg)
    flat.alpha_ = 0.3
    h, r, t = every_triple(kg)
    table = InferenceTable(flat, max_bytes=max_bytes)
    difference = table.uncertainty(h, r, t) - flat(h, r, t)
    assert float(difference.abs().max()) <= 1e-6


def test_another_posterior_raises(cagp, kg):
    table = InferenceTable(cagp)
    model, posterior = cagp.semantic.model, cagp.semantic.model.posterior
    zero = torch.zeros(1, dtype=torch.long)
    model.set_posterior(posterior.update(model, *triples(kg, "val")))
    with pytest.raises(PosteriorChangedError, match="another posterior"):
        table(zero, zero, zero)
    with pytest.raises(PosteriorChangedError):
        table.uncertainty(zero, zero, zero)
    with pytest.raises(PosteriorChangedError):
        InferenceTable(cagp)
    model.set_posterior(posterior)
    assert table(zero, zero, zero).uncertainty.shape == (1,)


def test_updated_coverage_and_unknown_ids_raise(cagp, kg):
    table = InferenceTable(cagp)
    zero = torch.zeros(1, dtype=torch.long)
    with pytest.raises(InvalidInputError, match="tail_index"):
        table(zero, zero, zero + kg.num_nodes)
    table.coverage.update(torch.zeros((2, 1), dtype=torch.long), zero)
    with pytest.raises(InvalidInputError, match="coverage"):
        table(zero, zero, zero)


def test_unsupported_estimators_raise(cagp, kg):
    coverage = cagp.structural.coverage
    model = cagp.semantic.model
    for parts in (
        (FrequencyUncertainty(coverage), coverage),
        (model, StructuralUncertainty(coverage, view="directed")),
    ):
        other = CAGP(*parts).fit(kg)
        with pytest.raises(InvalidInputError, match="'cagp'"):
            InferenceTable(other)
