"""Objectives against PyTorch's losses, with posteriors of no variance."""

import pytest
import torch
import torch.nn.functional as F

from pyg_cagp.data import AnswerIndex
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import (
    GaussianDistMult,
    OneNegative,
    SampledSoftmax,
    SelfAdversarial,
    bernoulli_rates,
)
from pyg_cagp.nn.kge.draw import Draws
from tests.nn.test_contract import N, R, triples


def nll(objective, model, h, r, t):
    model.objective = objective
    model.kl_weight = 0.0
    return model.loss(h, r, t)


@pytest.fixture
def model():
    """A model whose posteriors have no variance."""
    torch.manual_seed(0)
    model = GaussianDistMult(N, R, 6)
    torch.nn.init.normal_(model.node_emb.weight)
    torch.nn.init.normal_(model.rel_emb.weight)
    torch.nn.init.constant_(model.node_log_var.weight, -60)
    model.generator = torch.Generator().manual_seed(0)
    return model


def test_sampled_softmax_approaches_cross_entropy(model):
    h, r, t = triples(10)
    expected = F.cross_entropy(model.score_tails(h, r), t)
    expected = expected + F.cross_entropy(model.score_heads(r, t), h)
    got = nll(SampledSoftmax(num_negatives=200_000), model, h, r, t)
    torch.testing.assert_close(got, expected, rtol=5e-3, atol=0)


@pytest.fixture
def known():
    h, r, t = triples(40)
    return AnswerIndex(h, r, t, N, R)


def filtered_cross_entropy(model, known, h, r, t):
    """Cross-entropy over candidates that are not known to be true."""
    total = 0
    for i in range(len(h)):
        for side, given, answer, scores in (
            ("tail", h, t, model.score_tails(h[i : i + 1], r[i : i + 1])[0]),
            ("head", t, h, model.score_heads(r[i : i + 1], t[i : i + 1])[0]),
        ):
            _, others = known.find(side, given[i : i + 1], r[i : i + 1])
            mask = torch.ones(N, dtype=torch.bool)
            mask[others] = False
            mask[answer[i]] = True
            place = int(mask[: answer[i]].sum())
            total = total - scores[mask].log_softmax(0)[place]
    return total / len(h)


def test_known_answers_are_left_out_of_the_softmax(model, known):
    h, r, t = triples(40)
    expected = filtered_cross_entropy(model, known, h, r, t)
    got = nll(
        SampledSoftmax(num_negatives=100_000, known=known), model, h, r, t
    )
    torch.testing.assert_close(got, expected, rtol=5e-3, atol=0)


def test_self_adversarial_loss_equals_its_formula(model):
    """The formula, for one query at a time."""
    h, r, t = triples(10)
    seed = model.generator.get_state()
    other = torch.randint(N, (6,), generator=model.generator)
    model.generator.set_state(seed)
    got = nll(SelfAdversarial(num_negatives=6, temperature=0.7), model, h, r, t)
    expected = 0
    for scores, answer in (
        (model.score_tails(h, r), t),
        (model.score_heads(r, t), h),
    ):
        for i in range(10):
            false = scores[i, other[other != answer[i]]]
            weight = (0.7 * false).softmax(0)
            loss = -F.logsigmoid(scores[i, answer[i]])
            loss = loss - (weight * F.logsigmoid(-false)).sum()
            expected = expected + loss / 10
    torch.testing.assert_close(got, expected)
    with pytest.raises(InvalidInputError, match="'temperature'"):
        SelfAdversarial(temperature=-1)


def test_bernoulli_replaces_the_side_with_fewer_answers(model):
    # Relation 0 has one head and four tails; relation 1 is its mirror.
    h = torch.tensor([0, 0, 0, 0, 1, 2, 3, 4])
    t = torch.tensor([1, 2, 3, 4, 0, 0, 0, 0])
    r = torch.tensor([0, 0, 0, 0, 1, 1, 1, 1])
    rates = bernoulli_rates(h, r, t, R)
    torch.testing.assert_close(rates, torch.tensor([0.8, 0.2, 0.5]))
    many = torch.zeros(20_000, dtype=torch.long)
    zero, one = torch.zeros(20_000, 1), torch.ones(20_000, 1)
    drawn = Draws(zero, zero, one)
    false_h, false_t = OneNegative(head_rate=rates).corrupt(model, many, drawn)
    assert torch.equal(false_h + false_t, one)
    assert abs(false_h.mean() - 0.8) < 0.02


def test_negatives_that_are_the_answer_are_left_out(model):
    # With one entity, every negative is the answer, and the loss is 0.
    alone = GaussianDistMult(1, 1, 2)
    zero = torch.zeros(3, dtype=torch.long)
    assert (
        nll(SampledSoftmax(num_negatives=5), alone, zero, zero, zero).item()
        == 0
    )


def test_one_negative_is_cross_entropy_or_margin(model):
    h, r, t = triples(10)
    seed = model.generator.get_state()
    false = model.random_sample(h, r, t)
    true_score, false_score = model(h, r, t), model(*false)
    model.generator.set_state(seed)
    got = nll(OneNegative(), model, h, r, t)
    bce = F.binary_cross_entropy_with_logits
    expected = bce(true_score, torch.ones(10)) + bce(
        false_score, torch.zeros(10)
    )
    torch.testing.assert_close(got, expected)
    model.generator.set_state(seed)
    got = nll(OneNegative(kind="margin", margin=2.0), model, h, r, t)
    expected = F.margin_ranking_loss(
        true_score, false_score, torch.ones(10), margin=2.0
    )
    torch.testing.assert_close(got, expected)


def test_repr_and_bad_options():
    assert repr(SampledSoftmax(num_negatives=7)) == "SampledSoftmax(7)"
    assert repr(OneNegative(kind="margin")) == "OneNegative('margin')"
    with pytest.raises(InvalidInputError, match="'kind'"):
        OneNegative(kind="hinge")
