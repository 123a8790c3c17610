"""The true probabilities of the generated graph, and what can be learned."""

import pytest
import torch
from scipy.stats import chisquare

from pyg_cagp import evaluate
from pyg_cagp.data import TripleIndex, triples
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.datasets.held_out import CUT, HELD_OUT
from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.train import train_run

SPLITS = (None, "train", "val", "test")


@pytest.fixture(scope="module")
def small():
    return SyntheticKG(
        num_nodes=60,
        num_relations=6,
        num_triples=100,
        num_types=2,
        num_factors=3,
        zipf=0.5,
        noise=0.2,
        seed=4,
    )


def row(graph, side, given, rel, split=None):
    """Returns the probability of every entity as the answer to a query."""
    num = graph.world.num_nodes
    every = torch.arange(num)
    given, rel = torch.full((num,), given), torch.full((num,), rel)
    ends = (given, every) if side == "tail" else (every, given)
    return graph.probability(ends[0], rel, ends[1], side=side, split=split)


def test_probabilities_sum_to_one(small):
    world, kg = small.world, small[0]
    for split in SPLITS:
        for rel in range(6):
            for entity in range(0, 60, 7):
                p = row(small, "tail", entity, rel, split)
                fits = kg.node_type[entity] == world.head_type[rel]
                wrong = kg.node_type != world.tail_type[rel]
                assert (p[wrong] == 0).all()
                total = p.sum().item()
                assert total == pytest.approx(1) or total == 0
                assert fits or total == 0
    head, rel, tail = triples(kg, "train")
    assert (small.probability(head, rel, tail, split="train") > 0).all()


@pytest.mark.parametrize("side", ["tail", "head"])
def test_events_have_these_probabilities(small, side):
    """Chi-square against events that are drawn."""
    world = small.world
    generator = torch.Generator().manual_seed(9)
    events = world.draw(600_000, (0.0, 1.0), generator)
    coin = torch.rand(600_000, generator=generator)
    held_out = (events.moment >= CUT) | (coin < HELD_OUT)
    public = world.public_id
    head, tail = public[events.head], public[events.tail]
    given, answer = (head, tail) if side == "tail" else (tail, head)
    values = []
    for split, part in ((None, held_out | True), ("test", held_out)):
        query = given[part] * 6 + events.rel[part]
        keys, counts = query.unique(return_counts=True)
        for key in keys[counts.argsort(descending=True)[:8]].tolist():
            p = row(small, side, key // 6, key % 6, split)
            observed = answer[part][query == key].bincount(minlength=60)
            assert (observed[p == 0] == 0).all()
            expected = p * observed.sum()
            often = expected >= 5
            observed = torch.cat(
                [observed[often], observed[~often].sum()[None]]
            )
            expected = torch.cat(
                [expected[often], expected[~often].sum()[None]]
            )
            some = expected > 0
            values.append(chisquare(observed[some], expected[some]).pvalue)
    assert len(values) == 16
    assert min(values) > 1e-4  # Sixteen tests at about one in six hundred.


def test_probability_by_hand(small):
    """The product of popularity, penalty and duration, entity by entity."""
    world = small.world
    inside = world.public_id.argsort().tolist()
    head, rel, _ = (int(x[0]) for x in triples(small[0], "train"))

    def start(entity):
        moment = world.uptake(
            torch.tensor([inside[entity]]), torch.tensor([rel])
        )
        return float(moment)

    weights = []
    for tail in range(60):
        code = int(world.code[inside[head]] ^ world.code[inside[tail]])
        broken = (code ^ int(world.pattern[rel])).bit_count()
        weight = float(world.popularity[inside[tail]]) * 0.25**broken
        weight *= max(0.0, 1 - max(start(head), start(tail)))
        fits = small[0].node_type[tail] == world.tail_type[rel]
        weights.append(weight * bool(fits))
    expected = torch.tensor(weights, dtype=torch.double)
    expected /= expected.sum()
    torch.testing.assert_close(row(small, "tail", head, rel), expected)


def test_bad_arguments(small):
    ids = torch.tensor([0])
    with pytest.raises(InvalidInputError, match="'side' must be one of"):
        small.probability(ids, ids, ids, side="left")
    with pytest.raises(InvalidInputError, match="'split' must be one of"):
        small.probability(ids, ids, ids, split="future")
    with pytest.raises(InvalidInputError, match=r"'rel_type' must lie in"):
        small.probability(ids, ids + 6, ids)


def test_a_model_learns_much_of_what_can_be_known():
    """Against the ranking by the true probability, which no model beats."""
    graph = SyntheticKG()
    kg = graph[0]
    model = train_run(
        kg, "gaussian-distmult", dataset="synthetic", progress=False
    ).model
    learned = evaluate.ranking(model, kg)["hits@1"]
    assert 0.4 < learned < 0.6
    answers = evaluate.predictions(model, kg)
    overall = answers.error.double().mean()
    order = answers.uncertainty.argsort()
    trusted = answers.error[order[: len(order) * 3 // 10]].double().mean()
    assert 0.4 < overall < 0.6
    assert trusted < overall / 2

    known = TripleIndex.from_data(kg)
    chosen = torch.arange(0, int(kg.test_mask.sum()), 25)
    hits = []
    for head, rel, tail in torch.stack(triples(kg, "test"))[:, chosen].T:
        for side, given, answer in (("tail", head, tail), ("head", tail, head)):
            p = row(graph, side, int(given), int(rel), "test")
            every = torch.arange(kg.num_nodes)
            ends = (given, every) if side == "tail" else (every, given)
            ends = [x.expand_as(every) for x in ends]
            others = known.contains(ends[0], rel.expand_as(every), ends[1])
            others[answer] = False
            hits.append(bool((p[~others] <= p[answer]).all()))
    best = sum(hits) / len(hits)
    assert learned < best < learned + 0.3
