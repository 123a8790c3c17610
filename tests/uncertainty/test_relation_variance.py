"""A learned variance that depends on the relation."""

import torch
from sklearn.metrics import roc_auc_score

from pyg_cagp.uncertainty.baselines import RelationConditionedVariance


def test_covered_pairs_have_smaller_variances(world, model, coverage):
    estimator = RelationConditionedVariance(
        model, hidden_channels=32, epochs=10
    ).fit(world)
    assert estimator.losses_[-1] < estimator.losses_[0]
    entity = torch.arange(world.num_nodes).repeat(world.num_relations)
    rel = torch.arange(world.num_relations).repeat_interleave(world.num_nodes)
    for role in ("head", "tail"):
        with torch.no_grad():
            log_var = estimator.log_variance(entity, rel, role)
        uncovered = ~coverage.contains(entity, rel, role)
        assert roc_auc_score(uncovered, log_var) > 0.8


def test_variance_depends_on_the_relation_and_the_role(world, model, triples):
    before = model.node_emb.weight.clone()
    estimator = RelationConditionedVariance(
        model, hidden_channels=16, epochs=1
    ).fit(world)
    assert torch.equal(before, model.node_emb.weight)
    head, rel, tail = triples
    other = (rel + 1) % world.num_relations
    assert not torch.allclose(
        estimator(head, rel, tail), estimator(head, other, tail)
    )
    assert not torch.allclose(
        estimator(head, rel, tail), estimator(tail, rel, head)
    )
    with torch.no_grad():
        want = sum(
            estimator.log_variance(entity, rel, role).exp() / 2
            for entity, role in ((head, "head"), (tail, "tail"))
        )
    torch.testing.assert_close(estimator(head, rel, tail), want)
