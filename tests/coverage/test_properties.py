"""Coverage equals a dictionary of sets, after every change."""

from collections import Counter

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pyg_cagp import Coverage
from pyg_cagp.coverage import CoverageBuilder


@st.composite
def graphs(draw):
    # Row words are 64 bits wide, so cross that border now and then.
    num_nodes = draw(st.integers(1, 12))
    num_relations = draw(st.sampled_from([1, 3, 64, 65, 130, 300]))
    triple = st.tuples(
        st.integers(0, num_nodes - 1),
        st.integers(0, num_relations - 1),
        st.integers(0, num_nodes - 1),
    )
    return num_nodes, num_relations, draw(st.lists(triple, max_size=60))


def to_edges(triples):
    table = torch.tensor(triples, dtype=torch.long).view(-1, 3)
    return table[:, [0, 2]].t(), table[:, 1]


def check(cov, num_nodes, num_relations, triples):
    heads = Counter((h, r) for h, r, _ in triples)
    tails = Counter((t, r) for _, r, t in triples)
    covered = heads.keys() | tails.keys()
    assert cov.nnz == len(covered)
    pairs = [(e, r) for e in range(num_nodes) for r in range(num_relations)]
    entity, relation = torch.tensor(pairs).t()
    assert cov.contains(entity, relation).tolist() == [
        p in covered for p in pairs
    ]
    assert (cov._find(entity, relation) >= 0).tolist() == [
        p in covered for p in pairs
    ]
    assert cov.count(entity, relation, "head").tolist() == [
        heads[p] for p in pairs
    ]
    assert cov.count(entity, relation, "tail").tolist() == [
        tails[p] for p in pairs
    ]
    assert cov.count(entity, relation).tolist() == [
        heads[p] + tails[p] for p in pairs
    ]


@settings(deadline=None, max_examples=60)
@given(graphs())
def test_from_edges_equals_counters(graph):
    num_nodes, num_relations, triples = graph
    cov = Coverage.from_edges(*to_edges(triples), num_nodes, num_relations)
    check(cov, num_nodes, num_relations, triples)


@settings(deadline=None, max_examples=60)
@given(graphs(), st.randoms(use_true_random=False), st.integers(1, 20))
def test_updates_in_any_order_equal_a_rebuild(graph, random, step):
    num_nodes, num_relations, triples = graph
    expected = Coverage.from_edges(*to_edges(triples), num_nodes, num_relations)
    shuffled = list(triples)
    random.shuffle(shuffled)
    cov = Coverage.from_edges(*to_edges([]), num_nodes, num_relations)
    builder = CoverageBuilder(num_nodes, num_relations)
    for start in range(0, len(shuffled), step):
        part = to_edges(shuffled[start : start + step])
        cov.update(*part)
        builder.add(*part)
    assert cov.equal(expected)
    assert builder.build().equal(expected)
    check(cov, num_nodes, num_relations, triples)


@settings(deadline=None, max_examples=40)
@given(graphs(), graphs())
def test_save_and_load_round_trip(tmp_path_factory, graph, more):
    num_nodes, num_relations, triples = graph
    path = tmp_path_factory.mktemp("cov") / "coverage.safetensors"
    cov = Coverage.from_edges(*to_edges(triples), num_nodes, num_relations)
    cov.save(path)
    again = Coverage.load(path)
    assert again.equal(cov)
    check(again, num_nodes, num_relations, triples)
    # Coverage mapped from a file can be updated.
    num_nodes = max(num_nodes, more[0])
    num_relations = max(num_relations, more[1])
    again.update(*to_edges(more[2]), num_nodes, num_relations)
    check(again, num_nodes, num_relations, triples + more[2])


@settings(deadline=None, max_examples=40)
@given(graphs(), st.sampled_from(["any", "head", "tail"]))
def test_sparse_csr_equals_the_dense_matrix(graph, role):
    num_nodes, num_relations, triples = graph
    cov = Coverage.from_edges(*to_edges(triples), num_nodes, num_relations)
    dense = torch.zeros(num_nodes, num_relations)
    for h, r, t in triples:
        dense[h, r] += role != "tail"
        dense[t, r] += role != "head"
    csr = cov.to_sparse_csr(view="count", role=role)
    assert torch.equal(csr.to_dense(), dense)
    assert csr.values().gt(0).all()
    binary = cov.to_sparse_csr(role=role).to_dense()
    assert torch.equal(binary, (dense > 0).float())
