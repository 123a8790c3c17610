"""Likelihoods against PyTorch's own losses, where nothing is random."""

import pytest
import torch
import torch.nn.functional as F

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import GaussianDistMult, OneNegative, SampledSoftmax
from tests.nn.test_contract import N, R, triples


@pytest.fixture
def model():
    """A model whose posteriors are points."""
    torch.manual_seed(0)
    model = GaussianDistMult(N, R, 6)
    torch.nn.init.normal_(model.node_emb.weight)
    torch.nn.init.normal_(model.rel_emb.weight)
    torch.nn.init.constant_(model.node_log_var.weight, -60)
    model.generator = torch.Generator().manual_seed(0)
    return model


def test_many_negatives_stand_for_all_candidates(model):
    h, r, t = triples(10)
    expected = F.cross_entropy(model.score_tails(h, r), t)
    expected = expected + F.cross_entropy(model.score_heads(r, t), h)
    got = SampledSoftmax(200_000)(model, h, r, t)
    torch.testing.assert_close(got, expected, rtol=5e-3, atol=0)


def test_a_negative_that_is_the_answer_is_left_out(model):
    # With one entity, every negative is the answer, and nothing is lost.
    alone = GaussianDistMult(1, 1, 2)
    zero = torch.zeros(3, dtype=torch.long)
    assert SampledSoftmax(5)(alone, zero, zero, zero).item() == 0


def test_one_negative_is_cross_entropy_or_margin(model):
    h, r, t = triples(10)
    seed = model.generator.get_state()
    false = model.random_sample(h, r, t)
    true_score, false_score = model(h, r, t), model(*false)
    model.generator.set_state(seed)
    got = OneNegative()(model, h, r, t)
    bce = F.binary_cross_entropy_with_logits
    expected = bce(true_score, torch.ones(10)) + bce(
        false_score, torch.zeros(10)
    )
    torch.testing.assert_close(got, expected)
    model.generator.set_state(seed)
    got = OneNegative("margin", margin=2.0)(model, h, r, t)
    expected = F.margin_ranking_loss(
        true_score, false_score, torch.ones(10), margin=2.0
    )
    torch.testing.assert_close(got, expected)


def test_options():
    assert repr(SampledSoftmax(7)) == "SampledSoftmax(7)"
    assert repr(OneNegative("margin")) == "OneNegative('margin')"
    with pytest.raises(InvalidInputError, match="'kind' must be one of"):
        OneNegative("hinge")
