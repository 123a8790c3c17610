"""Lookups of computed values and evidence."""

import pytest
import torch

from benchmark.paper.lookup import (
    KnownEvidence,
    Lookup,
    all_triples,
)
from pyg_cagp import Coverage, GaussianDistMult
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.evaluate import predictions
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols import protocol as protocol_of
from pyg_cagp.uncertainty import EvidenceUncertainty
from tests.loops import for_each

N, R = 7, 3
SEED = 4


@pytest.fixture(scope="module")
def kg():
    return SyntheticKG(num_nodes=400, num_relations=12, num_triples=2500)[0]


@pytest.fixture(scope="module")
def model(kg):
    torch.manual_seed(0)
    model = GaussianDistMult(kg.num_nodes, kg.num_relations, 8)
    torch.nn.init.normal_(model.node_emb.weight)
    torch.nn.init.normal_(model.rel_emb.weight)
    torch.nn.init.uniform_(model.node_log_var.weight, -2, 0)
    return model.requires_grad_(False)


def tuples(triples):
    return list(zip(*(part.tolist() for part in triples), strict=True))


def known_triples():
    """Every second triple there is, sorted."""
    every = torch.cartesian_prod(*map(torch.arange, (N, R, N)))[1::2]
    return tuple(every.t())


@for_each("width", [None, 4])
def test_lookup_of_triples_in_any_order(width):
    triples = known_triples()
    generator = torch.Generator().manual_seed(0)
    size = triples[0].numel()
    shape = (size,) if width is None else (size, width)
    values = torch.rand(shape, generator=generator, dtype=torch.double)
    lookup = Lookup(triples, values, N, R, "values")
    table = dict(zip(tuples(triples), values.tolist(), strict=True))
    rows = torch.randint(size, (200,), generator=generator)
    queries = tuple(part[rows] for part in triples)
    got = lookup(*queries)
    assert got.tolist() == [table[triple] for triple in tuples(queries)]
    assert lookup(*(part[:0] for part in triples)).shape == (0, *shape[1:])


@for_each("unknown", [(0, 0, 0), (3, 1, 0), (6, 2, 6)])
def test_lookup_of_other_triples_raises(unknown):
    triples = known_triples()
    assert unknown not in tuples(triples)
    lookup = Lookup(triples, torch.zeros(triples[0].numel()), N, R, "values")
    rows = [*tuples(triples)[:3], unknown, tuples(triples)[3]]
    message = rf"'values' .* 3, \({unknown[0]}, "
    with pytest.raises(InvalidInputError, match=message):
        lookup(*torch.tensor(rows).t())


@for_each("negatives", [True, False])
def test_all_triples_equal_those_of_all_protocols(kg, model, negatives):
    if not negatives:
        kg = kg.clone()
        for split in ("val", "test"):
            del kg[f"{split}_neg_edge_index"], kg[f"{split}_neg_edge_type"]
    got = tuples(all_triples(kg, model, SEED))
    want = set()
    for split in ("val", "test"):
        for protocol in (
            "standard",
            "comprehensive",
            "temporal-like",
            *(["verified-negatives"] if negatives else []),
        ):
            labelled = protocol_of(protocol, seed=SEED).label(kg, split)
            want |= set(tuples((labelled.head, labelled.rel, labelled.tail)))
        want |= set(tuples(predictions(model, kg, split=split)[:3]))
    assert len(got) == len(set(got))
    assert set(got) == want
    other = tuples(all_triples(kg, model, SEED + 1))
    assert set(other) != want


def test_known_evidence_equals_computed_evidence(kg, model):
    coverage = Coverage.from_data(kg)
    plain, known = (EvidenceUncertainty(coverage, model) for _ in range(2))
    triples = all_triples(kg, model, SEED)
    sizes = int(kg.num_nodes), int(kg.num_relations)
    known.evidence = KnownEvidence(
        known.evidence,
        Lookup(triples, known.evidence(*triples), *sizes, "evidence"),
    )
    assert known.evidence.names == plain.evidence.names
    for estimator in (plain, known):
        estimator.fit(kg, protocol="standard", seed=SEED)
    torch.testing.assert_close(known.slopes_, plain.slopes_)
    some = tuple(part[::7].flip(0) for part in triples)
    torch.testing.assert_close(known(*some), plain(*some))
    # Other triples have no evidence.
    with pytest.raises(InvalidInputError, match="'evidence' was not computed"):
        known(*unknown_triple(triples, kg))


def unknown_triple(triples, kg):
    known = set(tuples(triples))
    tail = next(t for t in range(kg.num_nodes) if (0, 0, t) not in known)
    return torch.tensor([[0], [0], [tail]])
