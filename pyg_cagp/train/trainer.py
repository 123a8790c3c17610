r"""The training loop."""

import math
import time
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch_geometric.data import Data
from tqdm import tqdm

from pyg_cagp.data import triples
from pyg_cagp.exceptions import DivergenceError, InvalidInputError
from pyg_cagp.nn.kge import GaussianKGEModel, KvsAll, QueryBatch
from pyg_cagp.train.batches import QueryBatches, TripleBatches
from pyg_cagp.train.losses import LossWindow
from pyg_cagp.train.optim import (
    build_optimizers,
    clip_gradients,
    scheduled_share,
)
from pyg_cagp.train.options import TrainOptions
from pyg_cagp.train.state import Progress, read_state, write_state
from pyg_cagp.train.tracker import Tracker
from pyg_cagp.train.validation import Validation

#: Head indices, relation types and tail indices.
Triples: TypeAlias = tuple[Tensor, Tensor, Tensor]


class Trainer:
    r"""Trains a model on the training triples of a graph.

    The state of training is written to one file after every epoch, and more
    often with :obj:`checkpoint_every`. Resuming a killed run gives exactly the
    result of an uninterrupted one. The final weights are those of the best
    filtered validation MRR.

    Args:
        model (GaussianKGEModel): The model.
        kg (Data): The graph.
        options (TrainOptions, optional): The options.
        seed (int, optional): The seed of batches, negatives and noise.
            (default: :obj:`0`)
        checkpoint (pathlib.Path, optional): The file of the state.
            (default: :obj:`None`)
        fingerprint (str, optional): Identifies the run. A checkpoint with
            another fingerprint is refused. (default: :obj:`""`)
        tracker (Tracker, optional): Writes the measurements.
            (default: :obj:`None`)
        progress (bool, optional): If set to :obj:`True`, shows a progress bar
            where there is a terminal. (default: :obj:`True`)
    """

    def __init__(
        self,
        model: GaussianKGEModel,
        kg: Data,
        *,
        options: TrainOptions | None = None,
        seed: int = 0,
        checkpoint: Path | None = None,
        fingerprint: str = "",
        tracker: Tracker | None = None,
        progress: bool = True,
    ) -> None:
        self.model = model
        self.options = options or TrainOptions()
        self.checkpoint = checkpoint
        self.fingerprint = fingerprint
        self.tracker = tracker
        self.show = progress
        self.seconds = 0.0
        self.state = Progress()
        self.best: dict[str, Tensor] = {}
        self.device = model.node_emb.weight.device
        # A separate generator for the order of triples: its state at the start
        # of an epoch reproduces the order.
        order = torch.Generator(self.device).manual_seed(seed)
        model.set_posterior(None)  # An earlier one has other means.
        model.generator = torch.Generator(self.device).manual_seed(seed + 1)
        head, rel, tail = (p.to(self.device) for p in triples(kg, "train"))
        if rel.numel() == 0:
            raise InvalidInputError("'kg' has no training triples")
        model.observe(head, tail)
        self.num_triples = rel.numel()
        by_query = isinstance(model.objective, KvsAll)
        kind = QueryBatches if by_query else TripleBatches
        self.batches: QueryBatches | TripleBatches = kind(
            head, rel, tail, self.options.batch_size, order
        )
        self.losses = LossWindow()
        self._firsts: list[Triples] = []
        self.validation = Validation(
            kg, num_triples=self.options.eval_triples, seed=seed
        )
        self.optimizers = build_optimizers(model, self.options)
        self.order_state = order.get_state()

    def fit(self, *, resume: bool = False) -> Progress:
        r"""Trains until the last epoch, or until early stopping.

        Args:
            resume (bool, optional): If set to :obj:`True`, continues from the
                checkpoint if there is one. (default: :obj:`False`)
        """
        if resume and self.checkpoint is not None and self.checkpoint.exists():
            self.load()
        full_weight = self.model.kl_weight
        bar = tqdm(
            total=self.options.epochs * len(self.batches),
            initial=self._step(),
            desc="training",
            disable=None if self.show else True,
        )
        try:
            while not self.finished():
                self._epoch(bar, full_weight)
        finally:
            bar.close()
            self.model.kl_weight = full_weight
        if self.best:
            self.model.load_state_dict(self.best)
        return self.state

    def finished(self) -> bool:
        r"""Returns whether training has ended."""
        stopped = 0 < self.options.patience <= self.state.misses
        return stopped or self.state.epoch >= self.options.epochs

    def _step(self) -> int:
        return self.state.epoch * len(self.batches) + self.state.batch

    def _epoch(self, bar: Any, full_weight: float) -> None:
        state, every = self.state, self.options.checkpoint_every
        self.model.train()
        start = time.perf_counter()
        for batch in self.batches.epoch(first=state.batch):
            self._train_on(batch, full_weight)
            state.batch += 1
            if self.losses.is_full():
                self._read_losses()
            bar.update()
            # The state at the end of an epoch is saved after validation.
            in_epoch = state.batch < len(self.batches)
            if every and in_epoch and self._step() % every == 0:
                now = time.perf_counter()
                self.seconds, start = self.seconds + now - start, now
                self._read_losses()
                self.save()
        self._read_losses()
        self._check_finite()
        size = len(self.batches)
        measured = {
            "train/loss": state.loss / size,
            "train/nll": state.nll / size,
            "train/kl": state.kl / size,
            "train/beta": self.model.kl_weight,
            "train/lr": self.optimizers[0].param_groups[0]["lr"],
        }
        state.epoch += 1
        state.batch, state.loss, state.nll, state.kl = 0, 0.0, 0.0, 0.0
        self.order_state = self.batches.generator.get_state()
        last = state.epoch == self.options.epochs
        validate = last or state.epoch % self.options.eval_every == 0
        if validate:
            measured |= self._validate()
        state.history.append({"epoch": state.epoch, **measured})
        bar.set_postfix(
            loss=f"{measured['train/loss']:.3f}",
            mrr="-" if state.best_mrr is None else f"{state.best_mrr:.4f}",
        )
        if self.tracker is not None:
            # Before the checkpoint: events that are written twice are hidden.
            self.tracker.scalars(measured, state.epoch)
            if validate:
                self.tracker.variances(self.model, state.epoch)
            self.tracker.flush()
        self.seconds += time.perf_counter() - start
        self.save()

    def _train_on(
        self, batch: QueryBatch | Triples, full_weight: float
    ) -> None:
        options, model, step = self.options, self.model, self._step()
        total = options.epochs * len(self.batches)
        share = scheduled_share(options.schedule, step, total)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = options.lr * share
            optimizer.zero_grad()
        rise = options.kl_warmup * len(self.batches)
        model.kl_weight = full_weight * min(1.0, (step + 1) / max(1.0, rise))
        with torch.autocast(
            self.device.type, torch.bfloat16, enabled=options.mixed_precision
        ):
            if isinstance(batch, QueryBatch):
                # A sum over a batch becomes a mean over triples.
                scale = len(self.batches) / self.num_triples
                terms = model.query_terms(batch, scale)
                first = batch.first()
            else:
                terms = model.loss_terms(*batch)
                first = batch[0][:1], batch[1][:1], batch[2][:1]
            loss = model.total(terms)
        loss.backward()
        if options.clip_norm > 0:
            clip_gradients(list(model.parameters()), options.clip_norm)
        for optimizer in self.optimizers:
            optimizer.step()
        model.constrain()
        self.losses.add(loss, terms.nll, terms.kl)
        self._firsts.append(first)

    def _read_losses(self) -> None:
        r"""Adds the losses of the steps since the last call, and checks them.
        The host waits for the device here, and not at each step.
        """
        state = self.state
        batch = state.batch - len(self.losses)
        for losses, first in zip(self.losses.read(), self._firsts, strict=True):
            batch += 1
            if not math.isfinite(losses.loss):
                step = state.epoch * len(self.batches) + batch - 1
                triple = tuple(int(part) for part in first)
                raise DivergenceError(
                    f"the loss is {losses.loss} at step {step} (epoch "
                    f"{state.epoch + 1}, batch {batch}, whose first triple is "
                    f"{triple}); {self._last_good()}"
                )
            state.loss += losses.loss
            state.nll += losses.nll
            state.kl += losses.kl
        self._firsts.clear()

    def _validate(self) -> dict[str, float]:
        self.model.eval()
        state = self.state
        measured = self.validation(self.model)
        if not measured:
            return {}
        mrr = measured["val/mrr"]
        if state.best_mrr is None or mrr > state.best_mrr:
            state.best_mrr, state.best_epoch, state.misses = mrr, state.epoch, 0
            self.best = {
                name: tensor.detach().clone()
                for name, tensor in self.model.state_dict().items()
            }
        else:
            state.misses += 1
        return measured

    def _last_good(self) -> str:
        remedy = (
            f"lower 'lr' (now {self.options.lr:g}) or set 'clip_norm' (now "
            f"{self.options.clip_norm:g})"
        )
        if self.checkpoint is None or not self.checkpoint.exists():
            return f"there is no earlier checkpoint; {remedy}"
        return f"the last good checkpoint is '{self.checkpoint}'; {remedy}"

    def _check_finite(self) -> None:
        for name, tensor in self.model.state_dict().items():
            if not torch.isfinite(tensor).all():
                at = f"'{name}' is not finite after step {self._step() - 1}"
                raise DivergenceError(f"{at}; {self._last_good()}")

    def save(self) -> None:
        r"""Writes the state of training, if all weights are finite."""
        if self.checkpoint is not None:
            self._check_finite()
            write_state(self, self.checkpoint)

    def load(self) -> None:
        r"""Restores the state that :meth:`save` wrote."""
        assert self.checkpoint is not None
        read_state(self, self.checkpoint)
