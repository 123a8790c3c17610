"""Results on another device are those of the CPU, with few waits for it."""

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
    with simulated_device() as made:
        yield made


def moved(parts):
    return [part.to(DEVICE) for part in parts]


def test_tensors_of_two_devices_are_not_mixed(device):
    here, there = torch.ones(3), torch.ones(3, device="sim")
    with pytest.raises(RuntimeError, match="two devices"):
        here + there
    assert (there + 1).device == DEVICE
    assert device.num_waits == 0
    assert float(there.sum()) == 3
    assert there.cpu().tolist() == [1, 1, 1]
    assert there[there > 0].numel() == 3
    assert device.num_waits == 3


@pytest.mark.parametrize("filtered", [True, False])
def test_ranking_waits_at_most_four_times_a_chunk(kg, run, device, filtered):
    known = AnswerIndex.from_data(kg) if filtered else None
    test = triples(kg, "test")
    want = rank_counts(run.model, *test, known=known)
    model = copy.deepcopy(run.model).to(DEVICE)
    there = None if known is None else known.to(DEVICE)
    # All triples are ranked in one chunk a side, then some queries at a time.
    for size in (2**21, 50 * kg.num_nodes):
        device.waits.clear()
        got = rank_counts(model, *moved(test), known=there, max_scores=size)
        num_chunks = sum(
            -(
                -(given * kg.num_relations + test[1]).unique().numel()
                * kg.num_nodes
                // size
            )
            for given in (test[0], test[2])
        )
        assert device.num_waits <= 4 * num_chunks
        for side, counts in want.items():
            for mine, other in zip(got[side], counts, strict=True):
                assert torch.equal(mine.cpu(), other)


def test_terms_and_answers_are_those_of_the_cpu(kg, run, device):
    head, rel, tail = triples(kg, "test")
    model = copy.deepcopy(run.model).to(DEVICE)
    want = softmax_terms(run.model, head, rel, tail)
    device.waits.clear()
    got = softmax_terms(model, *moved((head, rel, tail)))
    assert device.num_waits <= 4 * 2
    assert torch.equal(got.tail.log_prob().cpu(), want.tail.log_prob())
    assert torch.equal(got.head.logsumexp.cpu(), want.head.logsumexp)
    known = AnswerIndex.from_data(kg)
    want = top_answers(run.model, "tail", head, rel, known=known, k=3)
    got = top_answers(
        model, "tail", *moved((head, rel)), known=known.to(DEVICE), k=3
    )
    for mine, other in zip(got, want, strict=True):
        assert torch.equal(mine.cpu(), other)


@pytest.mark.parametrize("look_up", ["contains", "count", "missing"])
def test_a_checked_look_up_waits_once(kg, device, look_up):
    coverage = Coverage.from_data(kg)
    test = triples(kg, "test")
    asked = test if look_up == "missing" else test[:2]
    want = getattr(coverage, look_up)(*asked)
    there = copy.deepcopy(coverage).to(DEVICE)
    getattr(there, look_up)(*moved(asked))  # Tables are made once.
    device.waits.clear()
    got = getattr(there, look_up)(*moved(asked))
    assert device.num_waits <= 1, device.waits
    assert torch.equal(got.cpu(), want)


def test_a_look_up_without_checks_never_waits(kg, device):
    coverage = copy.deepcopy(Coverage.from_data(kg)).to(DEVICE)
    head, rel, tail = moved(triples(kg, "test"))
    for call in (
        lambda: coverage._missing(head, rel, tail),
        lambda: coverage._contains(head, rel),
        lambda: coverage._contains(head, rel, "tail"),
        lambda: coverage._counts(head, rel),
        lambda: coverage._weight(head, rel, "tfidf"),
    ):
        call()  # Tables are made once.
        device.waits.clear()
        call()
        assert device.num_waits == 0, device.waits


@pytest.mark.parametrize(
    "name",
    [
        *("semantic", "frequency", "structural", "structural, directed"),
        *("structural, smoothed", "average", "cagp", "evidence, no score"),
    ],
)
def test_a_fitted_estimator_waits_once(kg, run, device, name):
    model = copy.deepcopy(run.model).requires_grad_(False)
    coverage, test = Coverage.from_data(kg), triples(kg, "test")
    estimator = MAKERS[name](model, coverage).fit(kg)
    want = estimator(*test)
    there = estimator.to(DEVICE)
    there(*moved(test))
    device.waits.clear()
    got = there(*moved(test))
    assert device.num_waits <= 1, device.waits
    torch.testing.assert_close(got.cpu(), want)


@pytest.mark.parametrize("name", MAKERS)
def test_every_estimator_runs_from_fit_to_result(kg, run, device, name):
    model, coverage = run.model.requires_grad_(False), Coverage.from_data(kg)
    test = triples(kg, "test")
    want = MAKERS[name](model, coverage).fit(kg)(*test)
    estimator = MAKERS[name](
        copy.deepcopy(model).to(DEVICE), coverage.to(DEVICE)
    )
    got = estimator.to(DEVICE).fit(kg.clone().to(DEVICE))(*moved(test))
    assert got.device == DEVICE
    torch.testing.assert_close(got.cpu(), want)


def test_a_run_is_trained_as_on_the_cpu(kg, run, device, tmp_path):
    got = train_run(
        kg, CONFIG, out=tmp_path / "x", progress=False, device="sim"
    )
    assert got.model.node_emb.weight.device == DEVICE
    want = run.model.node_emb.weight
    assert torch.equal(got.model.node_emb.weight.cpu(), want)
    assert got.record["validation"] == run.record["validation"]


@pytest.mark.parametrize(
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
    ids=str,
)
def test_a_step_of_training_never_waits(kg, device, objective, noise):
    torch.manual_seed(0)
    sizes = kg.num_nodes, kg.num_relations, 8
    here = GaussianDistMult(*sizes, objective=objective, noise=noise)
    there = copy.deepcopy(here).to(DEVICE)
    weights = []
    for model in (here, there):
        options = TrainOptions(batch_size=256)
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
