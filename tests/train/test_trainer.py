"""The training loop: progress, stops, resumption and checkpoints."""

import math
from itertools import product

import pytest
import torch
from safetensors.torch import save_file

from pyg_cagp.data.kg import triples
from pyg_cagp.datasets import SyntheticKG
from pyg_cagp.exceptions import (
    CheckpointError,
    DivergenceError,
    InvalidInputError,
)
from pyg_cagp.nn.kge import KG2E, GaussianDistMult
from pyg_cagp.train import (
    Trainer,
    TrainOptions,
    TripleBatches,
    Validation,
    load_checkpoint,
    save_checkpoint,
)
from pyg_cagp.train.optim import (
    RowAdam,
    build_optimizers,
    clip_gradients,
    scheduled_share,
)
from tests.conftest import random_edges
from tests.loops import for_each


@pytest.fixture(scope="module")
def kg():
    return SyntheticKG(num_nodes=600, num_relations=20, num_triples=8000)[0]


def make(kg, **kwargs):
    torch.manual_seed(0)
    return GaussianDistMult(kg.num_nodes, kg.num_relations, 8, **kwargs)


def fast(**kwargs):
    return TrainOptions(
        **{"epochs": 2, "batch_size": 1100, "eval_triples": 50, **kwargs}
    )


def test_batches_contain_each_triple_once():
    edge_index, rel = random_edges(9, 2, 23)
    generator = torch.Generator().manual_seed(0)
    batches = TripleBatches(edge_index[0], rel, edge_index[1], 5, generator)
    state = generator.get_state()
    got = list(batches)
    assert [len(batch[0]) for batch in got] == [5, 5, 5, 5, 3]
    assert len(batches) == 5
    joined = torch.cat([torch.stack(batch) for batch in got], dim=1)
    expected = torch.stack([edge_index[0], rel, edge_index[1]])
    assert not torch.equal(joined, expected)
    assert sorted(joined.t().tolist()) == sorted(expected.t().tolist())
    # Another epoch has another order; the same state, the same order.
    assert not torch.equal(torch.stack(next(iter(batches))), joined[:, :5])
    generator.set_state(state)
    again = list(batches.epoch(first=3))
    assert torch.equal(torch.stack(again[0]), torch.stack(got[3]))


def test_fit_returns_the_best_weights(kg):
    options = TrainOptions(
        epochs=6, batch_size=512, lr=0.05, eval_every=1, eval_triples=500
    )
    trainer = Trainer(make(kg), kg, options=options, progress=False)
    state = trainer.fit()
    mrrs = [entry["val/mrr"] for entry in state.history]
    losses = [entry["train/loss"] for entry in state.history]
    assert losses[-1] < losses[0] - 0.5
    assert state.best_mrr == max(mrrs)
    assert mrrs[state.best_epoch - 1] == max(mrrs)
    # The weights are those of the best validation pass.
    again = Validation(kg, num_triples=500, seed=0)(trainer.model)
    assert again["val/mrr"] == state.best_mrr


def test_weights_depend_on_the_seed_only(kg):
    weights = []
    for seed in (3, 3, 4):
        trainer = Trainer(
            make(kg), kg, options=fast(), seed=seed, progress=False
        )
        trainer.fit()
        torch.rand(1)
        weights.append(trainer.model.node_emb.weight.detach())
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_early_stopping(kg):
    options = fast(epochs=30, eval_every=1, patience=2, lr=1e-12)
    trainer = Trainer(make(kg), kg, options=options, progress=False)
    # Validation passes tie with the first, and a tie is no improvement.
    state = trainer.fit()
    assert (state.epoch, state.best_epoch, state.misses) == (3, 1, 2)


OPTIMIZERS = [
    ("adam", True),
    ("adam", False),
    ("sparse-adam", True),
    ("adagrad", True),
    ("adagrad", False),
]


@for_each(("setting", "place"), product(OPTIMIZERS, ["_train_on", "_validate"]))
def test_interrupted_and_resumed_training_is_the_same(
    kg, tmp_path, setting, place
):
    """Interrupted within an epoch, or before the validation pass."""
    optimizer, sparse = setting
    options = fast(
        optimizer=optimizer,
        epochs=3,
        checkpoint_every=2,
        kl_warmup=2.0,
        clip_norm=0.5,
        eval_every=1,
        schedule="cosine",
    )

    def trainer(path):
        model = make(kg, sparse=sparse, learn_prior=True)
        return Trainer(
            model,
            kg,
            options=options,
            seed=0,
            checkpoint=path,
            fingerprint="one",
            progress=False,
        )

    folder = tmp_path / f"{optimizer}-{sparse}-{place}"
    folder.mkdir()
    complete = trainer(folder / "complete")
    expected = complete.fit()
    broken = trainer(folder / "broken")
    calls, work = 0, getattr(broken, place)

    def fail_in_epoch_two(*args):
        nonlocal calls
        calls += 1
        if calls == (9 if place == "_train_on" else 2):
            raise KeyboardInterrupt
        return work(*args)

    setattr(broken, place, fail_in_epoch_two)
    with pytest.raises(KeyboardInterrupt):
        broken.fit()
    again = trainer(folder / "broken")
    torch.rand(7)
    assert again.fit(resume=True) == expected
    for key, weight in complete.model.state_dict().items():
        assert torch.equal(weight, again.model.state_dict()[key]), key
    # A finished training is not repeated.
    assert trainer(folder / "broken").fit(resume=True) == expected


def test_resuming_another_state_raises(kg, tmp_path):
    path = tmp_path / "state"
    save_checkpoint(path, {}, {"config": {}})
    trainer = Trainer(
        make(kg),
        kg,
        options=fast(),
        seed=0,
        checkpoint=path,
        fingerprint="one",
        progress=False,
    )
    with pytest.raises(CheckpointError, match="state"):
        trainer.fit(resume=True)
    trainer.save()
    trainer.device = torch.device("meta")
    with pytest.raises(CheckpointError, match="'cpu'"):
        trainer.load()
    Trainer(
        make(kg),
        kg,
        options=fast(),
        seed=0,
        checkpoint=path,
        fingerprint="one",
        progress=False,
    ).fit()
    other = Trainer(
        make(kg),
        kg,
        options=fast(),
        seed=0,
        checkpoint=path,
        fingerprint="other",
        progress=False,
    )
    with pytest.raises(CheckpointError, match="another run"):
        other.fit(resume=True)


def test_a_loss_that_is_not_finite_raises(kg, tmp_path):
    path = tmp_path / "state"
    options = fast(epochs=4, lr=0.25)
    trainer = Trainer(
        make(kg), kg, options=options, seed=0, checkpoint=path, progress=False
    )
    train_on, steps = trainer._train_on, 0

    def poison(batch, weight):
        nonlocal steps
        steps += 1
        if steps == 9:
            with torch.no_grad():
                trainer.model.rel_emb.weight[batch[1][0]] = math.nan
        train_on(batch, weight)

    trainer._train_on = poison
    with pytest.raises(DivergenceError, match="step 8") as caught:
        trainer.fit()
    for part in ("nan", "epoch 2", "batch 4", str(path), "'lr'", "0.25"):
        assert part in str(caught.value)
    tensors, meta = load_checkpoint(path)
    assert meta["progress"]["epoch"] == 1
    assert all(tensor.isfinite().all() for tensor in tensors.values())


def test_weights_that_are_not_finite_are_not_saved(kg, tmp_path):
    path = tmp_path / "state"
    trainer = Trainer(
        make(kg), kg, options=fast(), seed=0, checkpoint=path, progress=False
    )
    with torch.no_grad():
        trainer.model.node_emb.weight[0] = math.inf
    with pytest.raises(DivergenceError, match="node_emb"):
        trainer.save()
    assert not path.exists()


def test_weights_that_are_not_finite_after_the_last_step_raise(kg):
    """Such a model would rank first: no score is larger than NaN."""
    trainer = Trainer(make(kg), kg, options=fast(epochs=1), progress=False)
    train_on = trainer._train_on

    def explode(*args):
        train_on(*args)
        with torch.no_grad():
            trainer.model.node_log_var.weight.fill_(math.nan)

    trainer.batches.batch_size = 10**6  # The first step is the last.
    trainer._train_on = explode
    with pytest.raises(DivergenceError, match="node_log_var"):
        trainer.fit()


def test_best_weights_are_resumed(kg, tmp_path):
    """The first validation pass is the best."""
    options = fast(epochs=4, eval_every=1, lr=0.05)
    path = tmp_path / "state"
    trainer = Trainer(
        make(kg),
        kg,
        options=options,
        seed=0,
        checkpoint=path,
        fingerprint="one",
        progress=False,
    )
    mrrs = iter([0.5, 0.4, 0.3, 0.2])
    weights = []

    def fake(model):
        weights.append(model.node_emb.weight.detach().clone())
        return {"val/mrr": next(mrrs)}

    trainer.validation = fake
    save = trainer.save

    def stop_after_two():
        save()
        if trainer.state.epoch == 2:
            raise KeyboardInterrupt

    trainer.save = stop_after_two
    with pytest.raises(KeyboardInterrupt):
        trainer.fit()
    again = Trainer(
        make(kg),
        kg,
        options=options,
        seed=0,
        checkpoint=path,
        fingerprint="one",
        progress=False,
    )
    again.validation = fake
    state = again.fit(resume=True)
    assert (state.best_mrr, state.best_epoch, state.misses) == (0.5, 1, 3)
    assert torch.equal(again.model.node_emb.weight, weights[0])
    assert not torch.equal(weights[0], weights[-1])


def test_learning_rate_follows_the_schedule(kg):
    options = fast(epochs=4, lr=0.08, eval_every=9)
    history = (
        Trainer(make(kg), kg, options=options, progress=False).fit().history
    )
    size = -(-int(kg.train_mask.sum()) // 1100)
    last = [(epoch * size - 1) / (4 * size) for epoch in range(1, 5)]
    rates = [entry["train/lr"] for entry in history]
    assert rates == pytest.approx([0.08 * (1 - done) for done in last])


@for_each(
    "change",
    [{"clip_norm": 1e-3}, {"mixed_precision": True}],
)
def test_options_change_the_weights(kg, change):
    weights = []
    for options in (fast(epochs=1), fast(epochs=1, **change)):
        trainer = Trainer(make(kg), kg, options=options, progress=False)
        trainer.fit()
        weights.append(trainer.model.node_emb.weight)
    assert not torch.equal(*weights)


def test_kl_warmup_raises_the_weight_of_the_prior(kg):
    options = fast(epochs=4, kl_warmup=2.0, eval_every=9)
    trainer = Trainer(
        make(kg, kl_weight=0.8), kg, options=options, progress=False
    )
    history = trainer.fit().history
    betas = [entry["train/beta"] for entry in history]
    assert betas == pytest.approx([0.4, 0.8, 0.8, 0.8])
    assert trainer.model.kl_weight == 0.8


def test_constraints_hold_after_training(kg):
    model = KG2E(kg.num_nodes, kg.num_relations, 8)
    Trainer(model, kg, options=fast(lr=0.5), progress=False).fit()
    assert model.node_emb.weight.norm(dim=-1).max() <= 1 + 1e-5


def test_mixed_precision_learns(kg):
    options = fast(epochs=3, mixed_precision=True, lr=0.05)
    history = (
        Trainer(make(kg), kg, options=options, progress=False).fit().history
    )
    assert history[-1]["train/loss"] < history[0]["train/loss"]


def test_without_validation_triples_the_last_weights_are_returned():
    kg = SyntheticKG(seed=0)[0].clone()
    kg.test_mask |= kg.val_mask
    kg.val_mask[:] = False
    state = Trainer(make(kg), kg, options=fast(), progress=False).fit()
    assert state.best_mrr is None
    assert state.epoch == 2
    kg.train_mask[:] = False
    with pytest.raises(InvalidInputError, match="training triples"):
        Trainer(make(kg), kg, options=fast())


def test_validation_does_not_depend_on_test_triples(kg):
    other = kg.clone()
    generator = torch.Generator().manual_seed(0)
    shift = torch.randint(kg.num_nodes, (2,), generator=generator)
    edges = other.edge_index[:, other.test_mask]
    moved = (edges + shift[:, None]) % kg.num_nodes
    other.edge_index[:, other.test_mask] = moved
    model = make(kg)
    assert Validation(kg)(model) == Validation(other)(model)


def test_validation_filters_by_train_and_validation(toy):
    """One query by hand: (0, 0, ?) is 1 and 2 in train, and 3."""
    model = GaussianDistMult(5, 3, 1)
    model.node_emb.weight.data = torch.tensor([[1.0], [9], [8], [2], [5]])
    model.rel_emb.weight.data = torch.ones(3, 1)
    got = Validation(toy)(model)["val/mrr"]
    # Tail 3 loses to 4 alone; head 0 loses to all of 1, 2, 3 and 4.
    assert got == pytest.approx((1 / 2 + 1 / 5) / 2)
    toy.edge_index = torch.cat([toy.edge_index, torch.tensor([[0], [4]])], 1)
    toy.edge_type = torch.cat([toy.edge_type, torch.tensor([0])])
    for mask in ("train_mask", "val_mask", "test_mask"):
        extra = torch.tensor([mask == "val_mask"])
        toy[mask] = torch.cat([toy[mask], extra])
    got = Validation(toy)
    got.triples = got.triples[:, :1]
    assert got(model)["val/mrr"] == pytest.approx((1 + 1 / 5) / 2)


def test_schedules():
    shares = [scheduled_share("cosine", step, 4) for step in range(4)]
    assert shares == pytest.approx([1.0, 0.85355, 0.5, 0.14645], abs=1e-4)
    assert scheduled_share("constant", 3, 4) == 1.0


def test_clip_gradients_equals_torch(kg):
    head, rel, tail = triples(kg, "train")
    batch = head[:500], rel[:500], tail[:500]
    grads = []
    for sparse in (False, True):
        model = make(kg, sparse=sparse)
        model.observe(head, tail)
        model.generator = torch.Generator().manual_seed(0)
        model.loss(*batch).backward()
        weights = list(model.parameters())
        if not sparse:
            expected = torch.nn.utils.clip_grad_norm_(weights, 0.1)
        else:
            norm = clip_gradients(weights, 0.1)
        grads.append([w.grad.to_dense() if sparse else w.grad for w in weights])
    torch.testing.assert_close(norm, expected)
    for one, other in zip(*grads, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-8)
    # Gradients below the norm are unchanged.
    before = weights[0].grad.to_dense().clone()
    clip_gradients(weights, 100.0)
    assert torch.equal(before, weights[0].grad.to_dense())


def test_sparse_and_dense_parameters_get_their_optimizers(kg):
    model = make(kg, sparse=True, learn_prior=True)
    lazy = fast(optimizer="sparse-adam")
    kinds = [type(o).__name__ for o in build_optimizers(model, lazy)]
    assert kinds == ["SparseAdam", "RowAdam"]
    kinds = [type(o).__name__ for o in build_optimizers(model, fast())]
    assert kinds == ["RowAdam"]
    with pytest.raises(InvalidInputError, match="sparse"):
        build_optimizers(make(kg), lazy)


def test_row_adam_equals_adam():
    """Sparse gradients with repeated rows against dense ones."""
    torch.manual_seed(0)
    start = torch.randn(50, 4)
    dense, sparse = (
        torch.nn.Embedding(50, 4, sparse=flag) for flag in (False, True)
    )
    dense.weight.data, sparse.weight.data = start.clone(), start.clone()
    adam = torch.optim.Adam(dense.parameters(), lr=0.1, fused=True)
    ours = RowAdam(sparse.parameters(), lr=0.1)
    for _ in range(5):
        rows, goal = torch.randint(50, (30,)), torch.randn(30, 4)
        for emb, optimizer in ((dense, adam), (sparse, ours)):

            def closure(emb=emb, optimizer=optimizer, rows=rows, goal=goal):
                optimizer.zero_grad()
                loss = (emb(rows) - goal).square().sum()
                loss.backward()
                return loss

            assert optimizer.step(closure) > 0
        torch.testing.assert_close(dense.weight, sparse.weight)
    assert not torch.equal(start, sparse.weight)


def test_files_that_are_not_checkpoints_raise(tmp_path):
    path = tmp_path / "state"
    with pytest.raises(CheckpointError, match="no checkpoint"):
        load_checkpoint(path)
    path.write_bytes(b"not a checkpoint")
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        load_checkpoint(path)
    save_checkpoint(path, {"a": torch.ones(2)}, {"schema": 99})
    with pytest.raises(CheckpointError, match="99"):
        load_checkpoint(path)
    save_file({"a": torch.ones(2)}, path, {"pyg_cagp": "[1]"})
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        load_checkpoint(path)
    save_checkpoint(path, {"a": torch.ones(2)}, {"b": 1.5})
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    (tmp_path / "damaged").write_bytes(content)
    with pytest.raises(CheckpointError, match="damaged"):
        load_checkpoint(tmp_path / "damaged")
    tensors, meta = load_checkpoint(path)
    assert torch.equal(tensors["a"], torch.ones(2))
    assert meta["b"] == 1.5


@pytest.mark.gpu
def test_trains_on_a_gpu(kg):
    model = make(kg).cuda()
    state = Trainer(model, kg, options=fast(mixed_precision=True)).fit()
    assert model.node_emb.weight.is_cuda
    assert state.best_mrr > 0
