"""UKGE with triples inferred by rules."""

import pytest
import torch

from pyg_cagp.data import TripleIndex, as_kg
from pyg_cagp.nn.kge import UKGE
from pyg_cagp.uncertainty.baselines import UKGEUncertainty
from tests.conftest import random_edges, split
from tests.loops import for_each

N, R = 40, 3


@pytest.fixture(scope="module")
def kg():
    edges, kind = random_edges(N, R, 400)
    rows = torch.stack([edges[0], kind, edges[1]], dim=1).tolist()
    parts = rows[:360], rows[360:380], rows[380:]
    return as_kg([split(*part, num_nodes=N) for part in parts])


def with_rules(kg, num, least):
    """Adds triples inferred by rules, with a least confidence."""
    edges, kind = random_edges(N, R, 3 * num, seed=1)
    known = TripleIndex.from_data(kg).contains(edges[0], kind, edges[1])
    chosen = (~known).nonzero().view(-1)[:num]
    kg = kg.clone()
    kg.psl_edge_index, kg.psl_edge_type = edges[:, chosen], kind[chosen]
    kg.psl_confidence = torch.full((num,), least)
    return kg


def trained(kg):
    model = UKGE(N, R, hidden_channels=16, psl_weight=1.0)
    return UKGEUncertainty(model, epochs=20, batch_size=64, lr=0.03).fit(kg)


@for_each("num", [30, 300])
def test_inferred_triples_get_higher_confidence(kg, num):
    ruled = with_rules(kg, num, 0.9)
    head, tail = ruled.psl_edge_index
    inferred = head, ruled.psl_edge_type, tail
    without = trained(kg).confidence(*inferred)
    got = trained(ruled).confidence(*inferred)
    assert float(got.mean()) > float(without.mean()) + 0.2
    assert float((got > without).double().mean()) > 0.9
    # Rules of least confidence 0 have no effect.
    idle = trained(with_rules(kg, num, 0.0)).confidence(*inferred)
    torch.testing.assert_close(idle, without)


def test_no_inferred_triples_have_no_effect(kg):
    head, tail = kg.edge_index
    rows = head, kg.edge_type, tail
    got = trained(with_rules(kg, 0, 0.9)).confidence(*rows)
    assert torch.equal(got, trained(kg).confidence(*rows))
