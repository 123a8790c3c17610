"""What was computed once is what is looked up."""

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


@pytest.mark.parametrize("width", [None, 4])
def test_lookups_in_any_order_and_repeated(width):
    triples = known_triples()
    generator = torch.Generator().manual_seed(0)
    size = triples[0].numel()
    shape = (size,) if width is None else (size, width)
    values = torch.rand(shape, generator=generator, dtype=torch.double)
    lookup = Lookup(triples, values, N, R, "mine")
    table = dict(zip(tuples(triples), values.tolist(), strict=True))
    asked = torch.randint(size, (200,), generator=generator)
    asked = tuple(part[asked] for part in triples)
    got = lookup(*asked)
    assert got.tolist() == [table[triple] for triple in tuples(asked)]
    assert lookup(*(part[:0] for part in triples)).shape == (0, *shape[1:])


@pytest.mark.parametrize("unknown", [(0, 0, 0), (3, 1, 0), (6, 2, 6)])
def test_what_was_not_computed_is_refused(unknown):
    triples = known_triples()
    assert unknown not in tuples(triples)
    lookup = Lookup(triples, torch.zeros(triples[0].numel()), N, R, "mine")
    rows = [*tuples(triples)[:3], unknown, tuples(triples)[3]]
    message = rf"'mine' was not computed for triple 3, \({unknown[0]}, "
    with pytest.raises(InvalidInputError, match=message):
        lookup(*torch.tensor(rows).t())


@pytest.mark.parametrize("negatives", [True, False])
def test_all_triples_are_those_of_every_protocol(kg, model, negatives):
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
            judged = protocol_of(protocol, seed=SEED).label(kg, split)
            want |= set(tuples((judged.head, judged.rel, judged.tail)))
        want |= set(tuples(predictions(model, kg, split=split)[:3]))
    assert len(got) == len(set(got))
    assert set(got) == want
    other = tuples(all_triples(kg, model, SEED + 1))
    assert set(other) != want


def test_known_evidence_is_that_which_is_collected_anew(kg, model):
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
    # Nothing is collected any more.
    with pytest.raises(InvalidInputError, match="'evidence' was not computed"):
        known(*unseen(triples, kg))


def unseen(triples, kg):
    seen = set(tuples(triples))
    tail = next(t for t in range(kg.num_nodes) if (0, 0, t) not in seen)
    return torch.tensor([[0], [0], [tail]])
