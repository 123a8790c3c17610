"""Dropout in training and in estimation."""

import pytest
import torch

from pyg_cagp import GaussianComplEx, GaussianDistMult, GaussianTransE
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.train import Config, train_run
from pyg_cagp.uncertainty.baselines import MCDropout

N, R, D = 6, 2, 400


def make(cls, **kwargs):
    torch.manual_seed(0)
    model = cls(N, R, D, **kwargs)
    for emb in (model.node_emb, model.rel_emb):
        torch.nn.init.normal_(emb.weight)
    return model.requires_grad_(False)


def triples():
    return torch.tensor([[0, 1, 2], [0, 1, 1], [3, 4, 5]])


def test_dropout_acts_on_terms_of_the_score_in_training_only():
    model = make(GaussianDistMult, dropout=0.25)
    head, rel, tail = triples()
    terms = model.node_emb(head) * model.rel_emb(rel) * model.node_emb(tail)
    torch.testing.assert_close(
        model.eval()(head, rel, tail), terms.sum(1), rtol=1e-4, atol=1e-4
    )
    model.train()
    model.generator = torch.Generator().manual_seed(0)
    mask = model.embed_rel(rel) != 0
    assert float(mask.double().mean()) == pytest.approx(0.75, abs=0.05)
    assert not torch.equal(mask[1], mask[2])  # One relation, two draws.
    # Its mean over draws is the score without dropout.
    draws = torch.stack([model(head, rel, tail) for _ in range(3000)])
    error = draws.std(0) / 3000**0.5
    assert bool(((draws.mean(0) - terms.sum(1)).abs() < 4 * error).all())


def test_variance_equals_the_variance_of_the_masks():
    """For small scores, sigmoid(s) has a sixteenth of the variance of s."""
    model = make(GaussianDistMult, dropout=0.2)
    model.node_emb.weight *= 0.05
    head, rel, tail = triples()
    got = MCDropout(model, num_passes=4000)(head, rel, tail)
    terms = model.node_emb(head) * model.rel_emb(rel) * model.node_emb(tail)
    want = terms.square().sum(1) * 0.2 / 0.8 / 16
    torch.testing.assert_close(got, want, rtol=0.1, atol=0)


def test_training_with_dropout_depends_on_the_seed(world, tmp_path):
    config = Config.find("synthetic", "gaussian-distmult")
    config = config.override(
        {"train.epochs": 2, "model.hidden_channels": 8, "model.dropout": 0.2}
    )
    runs = [
        train_run(world, config, out=tmp_path / name, progress=False)
        for name in ("a", "b")
    ]
    weights = [run.model.node_emb.weight for run in runs]
    assert torch.equal(*weights)
    plain = config.override({"model.dropout": 0.0})
    other = train_run(world, plain, out=tmp_path / "c", progress=False).model
    assert not torch.equal(other.node_emb.weight, weights[0])
    estimator = MCDropout(runs[0].model)
    some = world.edge_index[:, :5], world.edge_type[:5]
    assert float(estimator(some[0][0], some[1], some[0][1]).min()) > 0


def test_models_without_dropout_raise():
    with pytest.raises(InvalidInputError, match="'model'"):
        MCDropout(make(GaussianComplEx))
    with pytest.raises(InvalidInputError, match="BilinearKGEModel"):
        MCDropout(make(GaussianTransE))
    with pytest.raises(InvalidInputError, match="'num_passes'"):
        MCDropout(make(GaussianComplEx, dropout=0.1), num_passes=1)
    with pytest.raises(InvalidInputError, match="dropout"):
        GaussianDistMult(N, R, D, dropout=1.0)
