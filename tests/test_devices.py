"""Results on another device equal those of the CPU, with few waits for it."""

import copy

import pytest
import torch

from pyg_cagp import Coverage
from pyg_cagp.data import AnswerIndex, triples
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.nn.kge import (
    GaussianDistMult,
    KvsAll,
    OneNegative,
    SampledSoftmax,
)
from pyg_cagp.nn.scoring import rank_counts, softmax_terms, top_answers
from pyg_cagp.train import Config, Trainer, TrainOptions, train_run
from tests.loops import for_each
from tests.simulated import DEVICE, simulated_device
from tests.uncertainty.test_contract import MAKERS

CONFIG = Config.find("synthetic", "gaussian-distmult").override(
    {"train.epochs": 2, "model.hidden_channels": 16}
)


@pytest.fixture(scope="module")
def kg():
    return SyntheticKG(num_nodes=300, num_relations=10, num_triples=2000)[0]


@pytest.fixture(scope="module")
def run(kg, tmp_path_factory):
    return train_run(
        kg, CONFIG, out=tmp_path_factory.mktemp("run"), progress=False
    )


@pytest.fixture
def device():
    with simulated_device() as simulated:
        yield simulated


def moved(parts):
    return [part.to(DEVICE) for part in parts]


def test_mixed_devices_raise_and_waits_are_counted(device):
    on_cpu, on_device = torch.ones(3), torch.ones(3, device="sim")
    with pytest.raises(RuntimeError, match="two devices"):
        on_cpu + on_device
    assert (on_device + 1).device == DEVICE
    assert device.num_waits == 0
    assert float(on_device.sum()) == 3
    assert on_device.cpu().tolist() == [1, 1, 1]
    assert on_device[on_device > 0].numel() == 3
    assert device.num_waits == 3


@for_each("filtered", [True, False])
def test_ranking_waits_at_most_four_times_per_chunk(kg, run, device, filtered):
    known = AnswerIndex.from_data(kg) if filtered else None
    test = triples(kg, "test")
    expected = rank_counts(run.model, *test, known=known)
    model = copy.deepcopy(run.model).to(DEVICE)
    on_device = None if known is None else known.to(DEVICE)
    # One chunk for each side, then chunks of 50 queries.
    for size in (2**21, 50 * kg.num_nodes):
        device.waits.clear()
        got = rank_counts(model, *moved(test), known=on_device, max_scores=size)
        num_chunks = sum(
            -(
                -(given * kg.num_relations + test[1]).unique().numel()
                * kg.num_nodes
                // size
            )
            for given in (test[0], test[2])
        )
        assert device.num_waits <= 4 * num_chunks
        for side, counts in expected.items():
            for mine, other in zip(got[side], counts, strict=True):
                assert torch.equal(mine.cpu(), other)


def test_terms_and_answers_equal_the_cpu(kg, run, device):
    head, rel, tail = triples(kg, "test")
    model = copy.deepcopy(run.model).to(DEVICE)
    expected = softmax_terms(run.model, head, rel, tail)
    device.waits.clear()
    got = softmax_terms(model, *moved((head, rel, tail)))
    assert device.num_waits <= 4 * 2
    assert torch.equal(got.tail.log_prob().cpu(), expected.tail.log_prob())
    assert torch.equal(got.head.logsumexp.cpu(), expected.head.logsumexp)
    known = AnswerIndex.from_data(kg)
    expected = top_answers(run.model, "tail", head, rel, known=known, k=3)
    got = top_answers(
        model, "tail", *moved((head, rel)), known=known.to(DEVICE), k=3
    )
    for mine, other in zip(got, expected, strict=True):
        assert torch.equal(mine.cpu(), other)


@for_each("look_up", ["contains", "count", "missing"])
def test_checked_look_ups_wait_once(kg, device, look_up):
    coverage = Coverage.from_data(kg)
    test = triples(kg, "test")
    query = test if look_up == "missing" else test[:2]
    expected = getattr(coverage, look_up)(*query)
    on_device = copy.deepcopy(coverage).to(DEVICE)
    getattr(on_device, look_up)(*moved(query))  # The first call builds tables.
    device.waits.clear()
    got = getattr(on_device, look_up)(*moved(query))
    assert device.num_waits <= 1, device.waits
    assert torch.equal(got.cpu(), expected)


def test_unchecked_look_ups_never_wait(kg, device):
    coverage = copy.deepcopy(Coverage.from_data(kg)).to(DEVICE)
    head, rel, tail = moved(triples(kg, "test"))
    for call in (
        lambda: coverage._missing(head, rel, tail),
        lambda: coverage._contains(head, rel),
        lambda: coverage._contains(head, rel, "tail"),
        lambda: coverage._counts(head, rel),
        lambda: coverage._weight(head, rel, "tfidf"),
    ):
        call()  # The first call builds tables.
        device.waits.clear()
        call()
        assert device.num_waits == 0, device.waits


@for_each(
    "name",
    [
        *("semantic", "frequency", "structural", "structural, directed"),
        *("structural, smoothed", "average", "cagp", "evidence, no score"),
    ],
)
def test_fitted_estimators_wait_once(kg, run, device, name):
    model = copy.deepcopy(run.model).requires_grad_(False)
    coverage, test = Coverage.from_data(kg), triples(kg, "test")
    estimator = MAKERS[name](model, coverage).fit(kg)
    expected = estimator(*test)
    on_device = estimator.to(DEVICE)
    on_device(*moved(test))
    device.waits.clear()
    got = on_device(*moved(test))
    assert device.num_waits <= 1, device.waits
    torch.testing.assert_close(got.cpu(), expected)


@pytest.mark.slow
@for_each("name", MAKERS)
def test_estimators_fit_and_run_as_on_the_cpu(kg, run, device, name):
    model, coverage = run.model.requires_grad_(False), Coverage.from_data(kg)
    test = triples(kg, "test")
    expected = MAKERS[name](model, coverage).fit(kg)(*test)
    estimator = MAKERS[name](
        copy.deepcopy(model).to(DEVICE), coverage.to(DEVICE)
    )
    got = estimator.to(DEVICE).fit(kg.clone().to(DEVICE))(*moved(test))
    assert got.device == DEVICE
    torch.testing.assert_close(got.cpu(), expected)


def test_training_equals_the_cpu(kg, run, device, tmp_path):
    got = train_run(
        kg, CONFIG, out=tmp_path / "x", progress=False, device="sim"
    )
    assert got.model.node_emb.weight.device == DEVICE
    expected = run.model.node_emb.weight
    assert torch.equal(got.model.node_emb.weight.cpu(), expected)
    assert got.record["validation"] == run.record["validation"]


@for_each(
    ("objective", "noise"),
    [
        (SampledSoftmax(num_negatives=64), "coordinate"),
        (SampledSoftmax(num_negatives=64), "score"),
        (SampledSoftmax(num_negatives=64), "none"),
        (KvsAll(), "coordinate"),
        (KvsAll(), "score"),
        (KvsAll(), "none"),
        (OneNegative(), "coordinate"),
        (OneNegative(), "score"),
    ],
)
def test_a_step_of_training_never_waits(kg, device, objective, noise):
    torch.manual_seed(0)
    sizes = kg.num_nodes, kg.num_relations, 8
    here = GaussianDistMult(*sizes, objective=objective, noise=noise)
    there = copy.deepcopy(here).to(DEVICE)
    weights = []
    for model in (here, there):
        options = TrainOptions(batch_size=128)
        trainer = Trainer(model, kg, options=options, progress=False)
        batches = iter(trainer.batches.epoch())
        trainer._train_on(next(batches), 1.0)  # Optimisers make their state.
        device.waits.clear()
        for _ in range(3):
            trainer._train_on(next(batches), 1.0)
        assert device.num_waits == 0, device.waits
        weights.append(model.node_emb.weight)
        assert all(losses.loss > 0 for losses in trainer.losses.read())
    assert device.num_waits == 1
    assert torch.equal(weights[1].cpu(), weights[0])
