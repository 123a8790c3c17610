"""Single signals against their definitions."""

import pytest
import torch
from torch_geometric.nn.kge import DistMult

from pyg_cagp import Coverage
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.scoring.softmax_terms import softmax_terms
from pyg_cagp.uncertainty import (
    Energy,
    FrequencyUncertainty,
    PossiblePairs,
    ScoreUncertainty,
    SemanticUncertainty,
    StructuralUncertainty,
)


def test_semantic_combines_mean_variances_of_both_entities(model, triples):
    head, rel, tail = triples
    variance = model.variance(torch.arange(model.num_nodes)).mean(1)
    for how, want in (
        ("mean", (variance[head] + variance[tail]) / 2),
        ("max", torch.maximum(variance[head], variance[tail])),
        ("head", variance[head]),
        ("tail", variance[tail]),
    ):
        got = SemanticUncertainty(model, combine=how)(*triples)
        torch.testing.assert_close(got, want)
    torch.testing.assert_close(SemanticUncertainty(model).entity(), variance)
    # It does not depend on the relation.
    other = (rel + 1) % model.num_relations
    semantic = SemanticUncertainty(model)
    assert torch.equal(semantic(head, other, tail), semantic(*triples))


def test_frequency_and_structural_by_hand(toy):
    # Train: (0,0,1) (0,0,2) (1,0,2) (0,1,3) (2,1,2).
    cov = Coverage.from_data(toy)
    head, rel, tail = torch.tensor([[0, 1, 2], [0, 0, 1], [3, 0, 0]])
    rarity = FrequencyUncertainty(cov)(head, rel, tail)
    # Frequencies: 0 has 3 slots, 1 has 2, 2 has 4 and 3 has 1.
    want = [(1 / 4 + 1 / 2) / 2, (1 / 3 + 1 / 4) / 2, (1 / 5 + 1 / 4) / 2]
    assert rarity.tolist() == pytest.approx(want)
    binary = StructuralUncertainty(cov)
    assert binary(head, rel, tail).tolist() == [1, 0, 0]
    directed = StructuralUncertainty(cov, view="directed")
    # 3 was never a tail of 0, nor 0 one of 0 or of 1.
    assert directed(head, rel, tail).tolist() == [1, 1, 1]
    for view in ("log", "tfidf"):
        got = StructuralUncertainty(cov, view=view)(head, rel, tail)
        weights = cov.weight(head, rel, view) + cov.weight(tail, rel, view)
        torch.testing.assert_close(got, (2 - weights).float())


def test_possible_pairs_recover_the_parameters_of_simulated_data():
    """A pair is possible or not; a possible pair occurs at a rate."""
    generator = torch.Generator().manual_seed(0)
    num_nodes, theta, rate = 4000, 0.3, 0.05
    possible = torch.rand(num_nodes, generator=generator) < theta
    slots = torch.randint(1, 120, (num_nodes,), generator=generator)
    entity = torch.repeat_interleave(torch.arange(num_nodes), slots)
    occurs = torch.rand(entity.numel(), generator=generator) < rate
    rel = torch.where(occurs & possible[entity], 0, 1)
    # All entities are heads; one more entity is every tail.
    tail = torch.full_like(entity, num_nodes)
    cov = Coverage.from_edges(
        torch.stack([entity, tail]), rel, num_nodes + 1, 2
    )
    pairs = PossiblePairs(cov, "head")
    assert float(pairs.theta[0]) == pytest.approx(theta, abs=0.03)
    assert float(pairs.rate[0]) == pytest.approx(rate, abs=0.005)
    got = pairs(torch.arange(num_nodes), torch.zeros(num_nodes).long())
    covered = cov.contains(
        torch.arange(num_nodes), torch.zeros(num_nodes).long()
    )
    assert bool((got[covered] == 1).all())
    # The probability of uncovered pairs is calibrated at each frequency.
    for low, high in ((1, 15), (15, 40), (40, 120)):
        chosen = ~covered & (slots >= low) & (slots < high)
        share = float(possible[chosen].double().mean())
        assert float(got[chosen].mean()) == pytest.approx(share, abs=0.06)
    # An uncovered pair of a frequent entity is less likely to be possible.
    rare, frequent = slots.argmin(), torch.where(covered, -1, slots).argmax()
    if not bool(covered[rare]):
        assert got[rare] > got[frequent]


@torch.no_grad()
def test_softmax_terms_equal_a_softmax_over_all_candidates(
    world, model, triples
):
    head, rel, tail = triples
    for size in (1, 5 * world.num_nodes, 2**21):
        terms = softmax_terms(model, head, rel, tail, max_scores=size)
        for got, answer, scores in (
            (terms.tail, tail, model.score_tails(head, rel)),
            (terms.head, head, model.score_heads(rel, tail)),
        ):
            want = scores.log_softmax(1).gather(1, answer[:, None])[:, 0]
            torch.testing.assert_close(got.log_prob().float(), want)


@torch.no_grad()
def test_score_and_energy_by_definition():
    torch.manual_seed(0)
    model = DistMult(6, 2, 4)
    torch.nn.init.normal_(model.node_emb.weight)
    head, rel, tail = torch.tensor([[0, 1, 5], [0, 1, 1], [3, 4, 0]])
    score = model(head, rel, tail)
    every = torch.stack(
        [model(head, rel, torch.full_like(tail, t)) for t in range(6)], dim=1
    )
    p = every.softmax(1).gather(1, tail[:, None])[:, 0]
    for estimator, want in (
        (ScoreUncertainty(model), -score),
        (ScoreUncertainty(model, kind="sigmoid"), 1 - score.sigmoid()),
        (ScoreUncertainty(model, kind="softmax"), 1 - p),
        (Energy(model, of="triple"), -score),
        (Energy(model), -every.logsumexp(1)),
        (Energy(model, temperature=2.0), -2 * (every / 2).logsumexp(1)),
    ):
        got = estimator(head, rel, tail).float()
        torch.testing.assert_close(got, want)


def test_bad_options_raise(model, coverage):
    with pytest.raises(InvalidInputError, match="'combine'"):
        SemanticUncertainty(model, combine="sum")
    with pytest.raises(InvalidInputError, match="'view'"):
        StructuralUncertainty(coverage, view="count")
    with pytest.raises(InvalidInputError, match="'temperature'"):
        Energy(model, temperature=0)
    with pytest.raises(InvalidInputError, match="'kind'"):
        ScoreUncertainty(model, kind="margin")
