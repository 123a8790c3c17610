"""The full softmax by distinct queries, against PyTorch's cross-entropy."""

import pytest
import torch
import torch.nn.functional as F

from pyg_cagp.nn.kge import GaussianComplEx, KvsAll, QueryBatch
from pyg_cagp.train.batches import QueryBatches
from tests.nn.test_contract import MODELS, N, R, triples

POINTS = [name for name in MODELS if not name.startswith("kg2e")]


def make(name, **options):
    torch.manual_seed(0)
    model = MODELS[name](N, R, 6, objective=KvsAll(), **options)
    torch.nn.init.normal_(model.node_emb.weight)
    torch.nn.init.normal_(model.rel_emb.weight)
    model.observe(*triples()[::2])
    return model


def cross_entropy(model, h, r, t):
    tails = F.cross_entropy(model.score_tails(h, r), t)
    return tails + F.cross_entropy(model.score_heads(r, t), h)


@pytest.mark.parametrize("name", POINTS)
def test_loss_is_the_cross_entropy_of_all_triples(name):
    # 40 triples of 12 entities and 3 relations share queries and repeat.
    model = make(name, variational=False, kl_weight=0.0)
    batch = triples()
    loss, expected = model.loss(*batch), cross_entropy(model, *batch)
    torch.testing.assert_close(loss, expected)
    weights = model.node_emb.weight, model.rel_emb.weight
    for got, want in zip(
        torch.autograd.grad(loss, weights),
        torch.autograd.grad(expected, weights),
        strict=True,
    ):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("reciprocal", [False, True])
def test_an_epoch_of_queries_is_the_loss_of_all_triples(reciprocal):
    options = {"kl_weight": 0.3, "n3": 0.2, "reciprocal": reciprocal}
    model = make("complex", variational=False, **options)
    h, r, t = triples()
    generator = torch.Generator().manual_seed(0)
    batches = QueryBatches(h, r, t, 7, generator)
    scale = len(batches) / 40
    terms = [model.query_terms(batch, scale) for batch in batches.epoch()]
    nll, kl, n3 = (
        torch.stack(part).mean() for part in zip(*terms, strict=True)
    )
    torch.testing.assert_close(nll, cross_entropy(model, h, r, t))
    seen = torch.unique(torch.cat([h, t]))
    assert len(seen) == N
    torch.testing.assert_close(kl, model.kl_divergence(seen).sum() / 40)

    def cubes(weight, index):
        real, imag = weight[index].chunk(2, dim=-1)
        return torch.complex(real, imag).abs().pow(3).sum()

    entities = model.node_emb.weight
    expected = 2 * (cubes(entities, h) + cubes(entities, t))
    relations = model.rel_emb.weight
    expected += cubes(relations, r) + cubes(relations, r + R * reciprocal)
    torch.testing.assert_close(n3, expected / 40, rtol=1e-4, atol=1e-5)
    by_triple = model.loss_terms(h, r, t)
    torch.testing.assert_close(by_triple.n3, n3, rtol=1e-4, atol=1e-5)


def test_every_triple_is_an_answer_once_a_side():
    h, r, t = triples()
    generator = torch.Generator().manual_seed(3)
    batches = QueryBatches(h, r, t, 4, generator)
    orders = []
    for _ in range(2):
        answers = {"tail": [], "head": []}
        for batch in batches.epoch():
            assert len(batch.given) <= 4
            rows = zip(
                batch.given[batch.row].tolist(),
                batch.rel_type[batch.row].tolist(),
                batch.answer.tolist(),
                strict=True,
            )
            answers[batch.side] += rows
        expected = zip(h.tolist(), r.tolist(), t.tolist(), strict=True)
        assert sorted(answers["tail"]) == sorted(expected)
        expected = zip(t.tolist(), r.tolist(), h.tolist(), strict=True)
        assert sorted(answers["head"]) == sorted(expected)
        orders.append(answers["tail"])
    assert orders[0] != orders[1]
    generator.manual_seed(3)
    whole = list(batches.epoch())
    generator.manual_seed(3)
    rest = list(batches.epoch(first=2))
    assert len(rest) == len(whole) - 2 == len(batches) - 2
    for got, want in zip(rest, whole[2:], strict=True):
        assert got.side == want.side
        assert torch.equal(got.answer, want.answer)


def test_a_batch_knows_its_first_triple():
    group = QueryBatch.group
    ids = torch.tensor([4]), torch.tensor([1]), torch.tensor([7])
    assert [int(x) for x in group("tail", *ids).first()] == [4, 1, 7]
    assert [int(x) for x in group("head", *ids).first()] == [7, 1, 4]


def test_draws_of_all_entities_average_to_the_mean():
    model = GaussianComplEx(N, R, 6, objective=KvsAll())
    model.generator = torch.Generator().manual_seed(0)
    model.observe(*triples()[::2])
    drawn = torch.stack([model.draw_all()[0] for _ in range(4000)])
    std = model.variance(torch.arange(N)).sqrt()
    error = (drawn.mean(0) - model.node_emb.weight) / std * 4000**0.5
    assert error.abs().max() < 5
    torch.testing.assert_close(drawn.std(0), std, rtol=0.1, atol=0)
