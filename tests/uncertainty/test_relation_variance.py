"""A learned variance that sees the relation."""

import torch
from sklearn.metrics import roc_auc_score

from pyg_cagp.uncertainty.baselines import RelationConditionedVariance


def test_pairs_that_were_seen_have_the_smaller_variance(world, model, coverage):
    made = RelationConditionedVariance(
        model, hidden_channels=32, epochs=10
    ).fit(world)
    assert made.losses_[-1] < made.losses_[0]
    entity = torch.arange(world.num_nodes).repeat(world.num_relations)
    rel = torch.arange(world.num_relations).repeat_interleave(world.num_nodes)
    for role in ("head", "tail"):
        with torch.no_grad():
            log_var = made.log_variance(entity, rel, role)
        unseen = ~coverage.contains(entity, rel, role)
        assert roc_auc_score(unseen, log_var) > 0.8


def test_the_relation_and_the_role_make_a_difference(world, model, triples):
    before = model.node_emb.weight.clone()
    made = RelationConditionedVariance(model, hidden_channels=16, epochs=1).fit(
        world
    )
    assert torch.equal(before, model.node_emb.weight)
    head, rel, tail = triples
    other = (rel + 1) % world.num_relations
    assert not torch.allclose(made(head, rel, tail), made(head, other, tail))
    assert not torch.allclose(made(head, rel, tail), made(tail, rel, head))
    with torch.no_grad():
        want = sum(
            made.log_variance(entity, rel, role).exp() / 2
            for entity, role in ((head, "head"), (tail, "tail"))
        )
    torch.testing.assert_close(made(head, rel, tail), want)
