"""Graph posterior networks: evidence, its propagation and uncertainty."""

import pytest
import torch
from torch_geometric.nn import APPNP
from torch_geometric.utils import coalesce, to_undirected

from pyg_cagp.data import triples
from pyg_cagp.uncertainty.baselines import GraphPosteriorNetwork
from pyg_cagp.uncertainty.baselines.gpn import _slots


@pytest.fixture(scope="module")
def gpn(world, model):
    return GraphPosteriorNetwork(
        model,
        latent_channels=8,
        hidden_channels=16,
        num_layers=4,
        num_hops=3,
        warm_up=3,
        epochs=40,
    ).fit(world)


def test_training_lowers_the_loss(gpn):
    assert gpn.losses_[-1] < gpn.losses_[0]
    assert len(gpn.losses_) == 43


def test_covered_roles_have_more_evidence(gpn, coverage):
    entity, cls, _ = _slots(coverage)
    covered = gpn.log_alpha_[entity, cls].mean()
    assert float(covered) > float(gpn.log_alpha_.mean())


def test_evidence_falls_with_the_distance_from_the_data(gpn):
    flows = gpn.network["flows"]
    with torch.no_grad():
        near = gpn.network["encoder"](gpn.model.embed())
        counts = [
            float(flows(near * factor).exp().sum(1).median())
            for factor in (1.0, 10.0, 100.0)
        ]
    assert counts[0] > 10 * counts[1]
    assert counts[1] >= 10 * counts[2]


def test_slots_equal_the_training_triples(world, coverage):
    entity, cls, count = _slots(coverage)
    want = {}
    head, rel, tail = triples(world, "train")
    for h, r, t in zip(head.tolist(), rel.tolist(), tail.tolist(), strict=True):
        for key in ((h, r), (t, r + world.num_relations)):
            want[key] = want.get(key, 0) + 1
    got = dict(
        zip(
            zip(entity.tolist(), cls.tolist(), strict=True),
            count.tolist(),
            strict=True,
        )
    )
    assert got == want


def test_propagation_equals_personalised_pagerank(world):
    """Compares with powers of the normalised adjacency matrix."""
    edge_index = to_undirected(coalesce(world.edge_index[:, world.train_mask]))
    n = world.num_nodes
    x = torch.rand(n, 2)
    got = APPNP(3, 0.1)(x, edge_index)
    a = torch.zeros(n, n)
    a[edge_index[0], edge_index[1]] = 1
    # PyG adds missing self-loops.
    a[torch.arange(n), torch.arange(n)] = 1
    norm = a.sum(1).rsqrt()
    a = norm[:, None] * a * norm
    want = x
    for _ in range(3):
        want = 0.9 * (a @ want) + 0.1 * x
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


def test_uncertainty_is_minus_the_mean_log_evidence_of_both_roles(gpn, triples):
    head, rel, tail = triples
    evidence = gpn.log_alpha_
    want = -(evidence[head, rel] + evidence[tail, rel + gpn.num_relations]) / 2
    torch.testing.assert_close(gpn(head, rel, tail), want)
