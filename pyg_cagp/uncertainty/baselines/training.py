r"""Trains the modules of estimators."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor
from torch.nn import Parameter
from tqdm import tqdm

from pyg_cagp.exceptions import DivergenceError


def train(
    parameters: Iterable[Parameter],
    loss: Callable[[Tensor], Tensor],
    num_samples: int,
    epochs: int,
    batch_size: int,
    lr: float,
    seed: int = 0,
    device: torch.device | str = "cpu",
    progress: bool = False,
    title: str = "",
) -> list[float]:
    r"""Minimises a loss by Adam, over samples in random order.

    Returns:
        The mean loss of each epoch.
    """
    optimizer = torch.optim.Adam(list(parameters), lr=lr)
    generator = torch.Generator().manual_seed(seed)
    means = []
    with tqdm(total=epochs, desc=title, disable=not progress) as bar:
        for epoch in range(epochs):
            order = torch.randperm(num_samples, generator=generator)
            total = 0.0
            for batch in order.to(device).split(batch_size):
                optimizer.zero_grad()
                value = loss(batch)
                value.backward()
                optimizer.step()
                total += float(value.detach()) * batch.numel()
            means.append(total / num_samples)
            if not means[-1] < float("inf"):
                raise DivergenceError(
                    f"the loss is no finite number in epoch {epoch + 1}; lower "
                    f"'lr' (now {lr})"
                )
            bar.set_postfix(loss=means[-1])
            bar.update()
    return means
