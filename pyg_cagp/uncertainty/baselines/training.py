r"""The base class of estimators that train modules."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter
from tqdm import tqdm

from pyg_cagp.exceptions import DivergenceError
from pyg_cagp.uncertainty.base import ModelEstimator


class TrainedEstimator(ModelEstimator):
    r"""A base class of estimators that train modules with Adam."""

    needs_fit = True

    losses_: list[float]

    def __init__(
        self,
        model: Any,
        kind: type,
        epochs: int,
        batch_size: int,
        lr: float,
        seed: int,
        progress: bool,
    ) -> None:
        super().__init__(model, kind)
        self.epochs = epochs
        self.batch_size = batch_size
        self.lr = lr
        self.seed = seed
        self.progress = progress

    def _minimise(
        self,
        loss: Callable[[Tensor], Tensor],
        parameters: Iterable[Parameter],
        num_samples: int,
        epochs: int,
    ) -> list[float]:
        r"""Minimises a loss over samples in random order, and returns its mean
        in each epoch.
        """
        optimizer = torch.optim.Adam(list(parameters), lr=self.lr)
        generator = torch.Generator().manual_seed(self.seed)
        title, hide = type(self).__name__, not self.progress
        means = []
        with tqdm(total=epochs, desc=title, disable=hide) as bar:
            for epoch in range(epochs):
                order = torch.randperm(num_samples, generator=generator)
                total = 0.0
                for batch in order.to(self.device).split(self.batch_size):
                    optimizer.zero_grad()
                    value = loss(batch)
                    value.backward()
                    optimizer.step()
                    total += float(value.detach()) * batch.numel()
                means.append(total / num_samples)
                if not means[-1] < float("inf"):
                    raise DivergenceError(
                        f"the loss is not finite in epoch {epoch + 1}; "
                        f"lower 'lr' (now {self.lr})"
                    )
                bar.set_postfix(loss=means[-1])
                bar.update()
        return means
