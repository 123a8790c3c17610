"""Dropout, in training and after it."""

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


def test_dropout_takes_terms_out_of_the_score_in_training_alone():
    model = make(GaussianDistMult, dropout=0.25)
    head, rel, tail = triples()
    terms = model.node_emb(head) * model.rel_emb(rel) * model.node_emb(tail)
    torch.testing.assert_close(
        model.eval()(head, rel, tail), terms.sum(1), rtol=1e-4, atol=1e-4
    )
    model.train()
    model.generator = torch.Generator().manual_seed(0)
    kept = model.embed_rel(rel) != 0
    assert float(kept.double().mean()) == pytest.approx(0.75, abs=0.05)
    assert not torch.equal(kept[1], kept[2])  # One relation, two draws.
    # Its mean over draws is the score without dropout.
    drawn = torch.stack([model(head, rel, tail) for _ in range(3000)])
    error = drawn.std(0) / 3000**0.5
    assert bool(((drawn.mean(0) - terms.sum(1)).abs() < 4 * error).all())


def test_variance_of_the_score_is_that_of_the_masks():
    """For small scores, of sigmoid(s) it is a sixteenth of that of s."""
    model = make(GaussianDistMult, dropout=0.2)
    model.node_emb.weight *= 0.05
    head, rel, tail = triples()
    got = MCDropout(model, num_passes=4000)(head, rel, tail)
    terms = model.node_emb(head) * model.rel_emb(rel) * model.node_emb(tail)
    want = terms.square().sum(1) * 0.2 / 0.8 / 16
    torch.testing.assert_close(got, want, rtol=0.1, atol=0)


def test_training_with_dropout(world, tmp_path):
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


def test_what_has_no_dropout_is_refused():
    with pytest.raises(InvalidInputError, match="'model' has no dropout"):
        MCDropout(make(GaussianComplEx))
    with pytest.raises(InvalidInputError, match="must be a BilinearKGEModel"):
        MCDropout(make(GaussianTransE))
    with pytest.raises(InvalidInputError, match="'num_passes' must be at"):
        MCDropout(make(GaussianComplEx, dropout=0.1), num_passes=1)
    with pytest.raises(InvalidInputError, match=r"must lie in \[0, 1\)"):
        GaussianDistMult(N, R, D, dropout=1.0)
