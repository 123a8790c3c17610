"""Deep ensembles and the disagreement of their members."""

import numpy as np
import pytest
import torch
from scipy.stats import entropy
from torch_geometric.nn.kge import DistMult

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.train import Config, train_ensemble
from pyg_cagp.uncertainty.baselines import DeepEnsemble, disagreement


def test_disagreement_by_definition():
    generator = torch.Generator().manual_seed(0)
    p = torch.rand((4, 7), generator=generator).double()
    p[:, 0] = 1.0  # All members are certain.
    p[:, 1] = torch.tensor([0.0, 1, 0, 1])
    q = p.numpy()
    coin = lambda x: entropy(np.stack([x, 1 - x]), axis=0)  # noqa: E731
    want = coin(q.mean(0)) - coin(q).mean(0)
    got = disagreement(p, "mutual-information").numpy()
    np.testing.assert_allclose(got, want, atol=1e-12)
    assert got[0] == 0
    assert got[1] == pytest.approx(np.log(2))
    np.testing.assert_allclose(disagreement(p, "variance"), q.var(0))
    np.testing.assert_allclose(disagreement(p, "mean"), 1 - q.mean(0))


def test_members_disagree_more_off_the_training_triples(world, members):
    ensemble = DeepEnsemble(members, measure="variance", probability="sigmoid")
    some = world.train_mask.nonzero().view(-1)[:500]
    (head, tail), rel = world.edge_index[:, some], world.edge_type[some]
    generator = torch.Generator().manual_seed(0)
    other = tail[torch.randperm(500, generator=generator)]
    known = ensemble(head, rel, tail)
    random = ensemble(head, rel, other)
    assert float(known.mean()) < float(random.mean())
    p = ensemble.probabilities(head, rel, tail)
    assert p.shape == (3, 500)
    assert float(p.std(dim=0).max()) > 0


def test_members_depend_on_the_seed_only(world, tmp_path):
    config = Config.find("synthetic", "gaussian-distmult")
    config = config.override({"train.epochs": 1, "model.hidden_channels": 4})
    runs = [
        train_ensemble(
            world, config, out=tmp_path / name, num_members=2, progress=False
        )
        for name in ("a", "b")
    ]
    weights = [[r.model.node_emb.weight for r in part] for part in runs]
    assert torch.equal(weights[0][1], weights[1][1])
    assert not torch.equal(weights[0][0], weights[0][1])
    assert [r.record["seed"] for r in runs[0]] == [0, 1]


def test_bad_members_raise(world):
    with pytest.raises(InvalidInputError, match="two"):
        DeepEnsemble([DistMult(3, 1, 2)])
    with pytest.raises(InvalidInputError, match="one graph"):
        DeepEnsemble([DistMult(3, 1, 2), DistMult(4, 1, 2)])
    with pytest.raises(InvalidInputError, match="'measure'"):
        DeepEnsemble([DistMult(3, 1, 2)] * 2, measure="range")
    with pytest.raises(InvalidInputError, match="'num_members'"):
        train_ensemble(
            world, Config({"name": "x"}), out="nowhere", num_members=0
        )
