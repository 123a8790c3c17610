"""The contract of all Gaussian models."""

import copy
import math
from itertools import product

import pytest
import torch
from torch.distributions import Normal, kl_divergence
from torch_geometric.nn.kge import KGEModel

from pyg_cagp.data import triples as triples_of
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import (
    KG2E,
    GaussianComplEx,
    GaussianDistMult,
    GaussianRotatE,
    GaussianTransE,
    KvsAll,
    OneNegative,
    SampledSoftmax,
    SelfAdversarial,
)
from tests.loops import for_each

N, R, D = 12, 3, 5
MODELS = {
    "distmult": GaussianDistMult,
    "complex": GaussianComplEx,
    "transe": GaussianTransE,
    "transe-l2": lambda *a, **k: GaussianTransE(*a, p_norm=2, **k),
    "rotate": GaussianRotatE,
    "spherical": lambda *a, **k: GaussianComplEx(
        *a, covariance="spherical", **k
    ),
    "kg2e": KG2E,
    "kg2e-el": lambda *a, **k: KG2E(*a, score="el", **k),
}
# KG2E scores distributions: it has no draws and no deterministic variant.
POINTS = [name for name in MODELS if not name.startswith("kg2e")]
OBJECTIVES = {
    "softmax": SampledSoftmax(num_negatives=7),
    "bce": OneNegative(kind="bce"),
    "margin": OneNegative(kind="margin"),
    "bernoulli": OneNegative(head_rate=torch.tensor([0.2, 0.5, 0.9])),
    "adversarial": SelfAdversarial(num_negatives=7),
    "all": KvsAll(),
}


def triples(num=40, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randint(N, (num,), generator=generator),
        torch.randint(R, (num,), generator=generator),
        torch.randint(N, (num,), generator=generator),
    )


def make(name, **kwargs):
    torch.manual_seed(0)
    model = MODELS[name](N, R, D, **kwargs)
    # Variances differ, so that an entity's variance cannot be another's.
    torch.nn.init.uniform_(model.node_log_var.weight, -4, -1)
    h, _, t = triples()
    model.observe(h, t)
    return model


@for_each("name", MODELS)
def test_is_a_pyg_model(name):
    model = make(name)
    assert isinstance(model, KGEModel)
    h, r, t = triples()
    assert model(h, r, t).shape == (40,)
    loader = model.loader(h, r, t, batch_size=16, shuffle=True)
    sizes = [len(batch[0]) for batch in loader]
    assert sizes == [16, 16, 8]
    assert model.node_freq.sum() == 80
    mean_rank, mrr, hits = model.test(h, r, t, batch_size=5, k=3, log=False)
    assert 0 <= mean_rank < N
    assert 0 < mrr <= 1
    assert 0 <= hits <= 1
    false_h, same_r, false_t = model.random_sample(h, r, t)
    # As in PyG: heads of the first half are replaced, tails of the second.
    assert torch.equal(same_r, r)
    assert torch.equal(false_h[20:], h[20:])
    assert torch.equal(false_t[:20], t[:20])
    assert (false_h[:20] != h[:20]).any()
    assert (false_t[20:] != t[20:]).any()
    assert "num_relations=3, hidden_channels=5" in repr(model)


@for_each("name", MODELS)
def test_scores_of_candidates_equal_forward(name):
    model = make(name)
    h, r, t = triples(9)
    every = torch.arange(N)
    tails, heads = model.score_tails(h, r), model.score_heads(r, t)
    for i in range(9):
        one = torch.full_like(every, 1)
        torch.testing.assert_close(
            tails[i], model(one * h[i], one * r[i], every)
        )
        torch.testing.assert_close(
            heads[i], model(every, one * r[i], one * t[i])
        )


@for_each("name", MODELS)
def test_reciprocal_models_score_heads_by_inverse_relations(name):
    model = make(
        name, reciprocal=True, objective=SampledSoftmax(num_negatives=7)
    )
    h, r, t = triples(9)
    every = torch.arange(N)
    tails, heads = model.score_tails(h, r), model.score_heads(r, t)
    for i in range(9):
        one = torch.full_like(every, 1)
        torch.testing.assert_close(
            tails[i], model(one * h[i], one * r[i], every)
        )
        torch.testing.assert_close(
            heads[i], model(one * t[i], one * (r[i] + R), every)
        )
    model.loss(h, r, t).backward()
    assert (model.rel_emb.weight.grad[R:] != 0).any()
    with pytest.raises(InvalidInputError, match="inverse relations"):
        make(name, reciprocal=True, objective=OneNegative())


@for_each(("name", "objective"), product(MODELS, OBJECTIVES.values()))
def test_gradients_reach_means_variances_and_relations(name, objective):
    model = make(name, objective=objective)
    model.loss(*triples()).backward()
    for key, weight in model.named_parameters():
        assert weight.grad is not None, key
        assert weight.grad.isfinite().all(), key
        assert (weight.grad != 0).any(), key


@for_each("name", POINTS)
def test_deterministic_models_train_means_only(name):
    """The penalty equals PyTorch's density of the prior."""
    model = make(name, variational=False, prior_variance=0.3)
    before = model.node_log_var.weight.clone()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    h, r, t = triples()
    losses = [model.loss(h, r, t)]
    losses[0].backward()
    optimizer.step()
    assert torch.equal(model.node_log_var.weight, before)
    assert torch.equal(model.sample(h), model.node_emb(h))
    prior = Normal(0.0, math.sqrt(0.3))
    gap = prior.log_prob(torch.zeros(())) - prior.log_prob(model.node_emb(h))
    torch.testing.assert_close(model.kl_divergence(h), gap.sum(-1))


@for_each("name", POINTS)
def test_prior_can_be_learned(name):
    model = make(name, learn_prior=True, prior_variance=0.3)
    model.loss(*triples()).backward()
    assert model.prior.log_variance.grad != 0
    # The optimum is the mean second moment of all posteriors.
    moment = model.node_log_var.weight.exp() + model.node_emb.weight.square()
    with torch.no_grad():
        model.prior.log_variance.copy_(moment.mean().log())
    model.zero_grad()
    model.kl_divergence(torch.arange(N)).sum().backward()
    assert model.prior.log_variance.grad.abs() < 1e-4


@for_each("name", POINTS)
def test_dense_prior_is_the_mean_over_entities(name):
    model = make(name, kl_reduction="dense")
    h, _, t = triples(5)
    expected = model.kl_divergence(torch.arange(N)).mean()
    torch.testing.assert_close(model.kl_term(h, t), expected)
    kl = model.loss_terms(h, h * 0, t).kl
    torch.testing.assert_close(kl, expected)


@for_each("name", MODELS)
def test_sparse_equals_dense(name):
    dense, sparse = make(name), make(name, sparse=True)
    sparse.load_state_dict(dense.state_dict())
    losses = []
    for model in (dense, sparse):
        model.generator = torch.Generator().manual_seed(1)
        loss = model.loss(*triples())
        loss.backward()
        losses.append(loss)
    assert torch.equal(*losses)
    for (key, a), b in zip(
        dense.named_parameters(), sparse.parameters(), strict=True
    ):
        assert b.grad.is_sparse, key
        torch.testing.assert_close(a.grad, b.grad.to_dense())


@for_each(("name", "objective"), product(MODELS, OBJECTIVES.values()))
def test_loss_draws_from_the_generator_of_the_model(name, objective):
    model = make(name, objective=objective)
    values = []
    for _ in range(2):
        model.generator = torch.Generator().manual_seed(3)
        values.append(model.loss(*triples()))
        torch.rand(5)  # PyTorch's global generator has no effect.
    assert torch.equal(*values)


@for_each("name", MODELS)
def test_reset_parameters_follows_the_seed(name):
    model = make(name)
    states = []
    for _ in range(2):
        torch.manual_seed(5)
        model.reset_parameters()
        states.append(copy.deepcopy(model.state_dict()))
    for key in states[0]:
        assert torch.equal(states[0][key], states[1][key]), key


@for_each("name", MODELS)
def test_state_dict_round_trip(name, tmp_path):
    from safetensors.torch import load_file, save_file

    model, other = make(name), MODELS[name](N, R, D)
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    other.load_state_dict(load_file(tmp_path / "model.safetensors"))
    h, r, t = triples()
    assert torch.equal(model(h, r, t), other(h, r, t))
    assert torch.equal(model.mean_variance(h), other.mean_variance(h))
    assert torch.equal(other.node_freq, model.node_freq)


@pytest.mark.gpu
@for_each("name", MODELS)
def test_runs_on_a_gpu(name):
    model, gpu_model = make(name), make(name).cuda()
    h, r, t = triples()
    torch.testing.assert_close(
        model.score_tails(h, r), gpu_model.score_tails(h.cuda(), r.cuda()).cpu()
    )
    gpu_model.loss(h.cuda(), r.cuda(), t.cuda()).backward()
    assert gpu_model.node_emb.weight.grad.is_cuda


@for_each("name", MODELS)
def test_gradients_equal_finite_differences(name):
    model = make(
        name, objective=SampledSoftmax(num_negatives=4), kl_weight=0.7
    ).double()
    h, r, t = triples(6)

    def loss(mean, log_var, rel):
        for emb, weight in (
            (model.node_emb, mean),
            (model.node_log_var, log_var),
            (model.rel_emb, rel),
        ):
            del emb.weight
            emb.weight = weight
        model.generator = torch.Generator().manual_seed(0)
        return model.loss(h, r, t)

    inputs = [
        emb.weight.detach().clone().requires_grad_()
        for emb in (model.node_emb, model.node_log_var, model.rel_emb)
    ]
    assert torch.autograd.gradcheck(loss, inputs, atol=1e-5)


@for_each("name", POINTS)
def test_score_variance_equals_the_variance_of_draws(name):
    """The delta method is compared at small variances only."""
    model = make(name).double()
    exact = name in ("distmult", "complex", "transe", "spherical")
    if not exact:
        torch.nn.init.uniform_(model.node_log_var.weight, -13, -11)
    h, r, t = triples(8)
    t[:3] = h[:3]  # Self-loops: one draw is both head and tail.
    model.generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        num = 40_000
        rel = model.rel_emb(r)
        heads = model.sample(h.repeat(num)).view(num, len(h), -1)
        tails = model.sample(t.repeat(num)).view(num, len(t), -1)
        tails = torch.where((h == t)[None, :, None], heads, tails)
        drawn = model.interaction(heads, rel, tails).var(dim=0)
        got = model.score_distribution(h, r, t)
    torch.testing.assert_close(got.variance, drawn, rtol=0.05, atol=1e-14)
    assert torch.equal(got.score, model(h, r, t))


def test_score_variance_is_exact_for_small_variances():
    """Compares single with double precision: large numbers could cancel."""
    model = make("transe")
    torch.nn.init.normal_(model.node_emb.weight)
    torch.nn.init.constant_(model.node_log_var.weight, math.log(1e-8))
    got = model.score_variance(*triples())
    expected = model.double().score_variance(*triples())
    torch.testing.assert_close(got.double(), expected, rtol=1e-3, atol=0)


@for_each("name", MODELS)
def test_score_variance_depends_on_the_relation(name):
    model = make(name)
    h, t = torch.tensor([0, 0]), torch.tensor([1, 1])
    var = model.score_variance(h, torch.tensor([0, 1]), t)
    assert var[0] != var[1]


@for_each("name", MODELS)
def test_kl_equals_torch(name):
    model = make(name, prior_variance=0.3)
    entity = torch.arange(N)
    posterior = Normal(model.node_emb.weight, model.variance(entity).sqrt())
    prior = Normal(0.0, math.sqrt(0.3))
    expected = kl_divergence(posterior, prior).sum(-1)
    observed = model.node_freq > 0
    torch.testing.assert_close(
        model.kl_divergence(entity)[observed], expected[observed]
    )


@for_each("name", MODELS)
def test_minibatch_kl_is_unbiased(name):
    """The mean over an epoch is the dense sum by the number of triples."""
    model = make(name)
    h, _, t = triples()
    batches = [(h[i : i + 8], t[i : i + 8]) for i in range(0, 40, 8)]
    mean = torch.stack([model.kl_term(*batch) for batch in batches]).mean()
    observed = (model.node_freq > 0).nonzero().view(-1)
    torch.testing.assert_close(mean, model.kl_divergence(observed).sum() / 40)


@for_each("name", MODELS)
def test_loss_terms_contain_the_kl_term(name):
    """Compares the fast way in training with `kl_term`."""
    model = make(name, kl_weight=0.7, learn_prior=True)
    h, r, t = triples()
    kl = model.loss_terms(h, r, t).kl
    torch.testing.assert_close(kl, model.kl_term(h, t))
    weights = [
        model.node_emb.weight,
        model.node_log_var.weight,
        model.prior.log_variance,
    ]
    for got, expected in zip(
        torch.autograd.grad(kl, weights),
        torch.autograd.grad(model.kl_term(h, t), weights),
        strict=True,
    ):
        torch.testing.assert_close(got, expected)


@for_each("name", MODELS)
def test_unseen_entities_have_the_prior_variance(name):
    model = make(name, prior_variance=0.5)
    model.observe(torch.tensor([0, 1]), torch.tensor([2, 3]))
    got = model.mean_variance(torch.arange(N))
    torch.testing.assert_close(got[4:], torch.full((N - 4,), 0.5))
    assert (got[:4] < 0.5).all()


@for_each("name", MODELS)
def test_bad_input_raises(name):
    with pytest.raises(InvalidInputError, match="'prior_variance'"):
        make(name, prior_variance=0.0)
    with pytest.raises(InvalidInputError, match="'kl_weight'"):
        make(name, kl_weight=-1.0)
    model = MODELS[name](N, R, D, kl_weight=1.0)
    with pytest.raises(InvalidInputError, match="observe"):
        model.loss(*triples())
    assert MODELS[name](N, R, D, kl_weight=0.0).loss(*triples()).isfinite()
    with pytest.raises(InvalidInputError, match="'num_negatives'"):
        SampledSoftmax(num_negatives=0)
    with pytest.raises(InvalidInputError, match="'p_norm'"):
        GaussianTransE(N, R, D, p_norm=3)
    with pytest.raises(InvalidInputError, match="'hidden_channels'"):
        MODELS[name](N, R, 0)
    with pytest.raises(InvalidInputError, match="'covariance'"):
        GaussianDistMult(N, R, D, covariance="full")
    with pytest.raises(InvalidInputError, match="'kl_reduction'"):
        make(name, kl_reduction="sum")
    with pytest.raises(InvalidInputError, match=r"learn_prior|variational"):
        make(name, learn_prior=True, variational=False)


@for_each("name", MODELS)
def test_training_beats_random_ranks(name):
    """PyG's training loop, on test triples."""
    kg = SyntheticKG(num_nodes=600, num_relations=20, num_triples=8000)[0]
    head, rel, tail = triples_of(kg, "train")
    torch.manual_seed(0)
    model = MODELS[name](kg.num_nodes, kg.num_relations, 16)
    loader = model.loader(head, rel, tail, batch_size=512, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    model.train()
    for _ in range(3):
        for h, r, t in loader:
            optimizer.zero_grad()
            loss = model.loss(h, r, t)
            loss.backward()
            optimizer.step()
            model.constrain()
    model.eval()
    h, r, t = triples_of(kg, "test")
    h, r, t = h[:300], r[:300], t[:300]
    scores = model.score_tails(h, r)
    rank = (scores > scores.gather(1, t[:, None])).sum(1)
    assert rank.float().median() < kg.num_nodes / 4  # Random: half.
