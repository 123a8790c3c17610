r"""Losses that stay on their device until they are read."""

from typing import NamedTuple

import torch
from torch import Tensor


class Losses(NamedTuple):
    r"""The loss of a step and its two terms, in plain numbers."""

    loss: float
    nll: float
    kl: float


class LossWindow:
    r"""The losses of the last steps. The host waits for the device once for
    all of them, not once a step.

    Args:
        size (int, optional): The number of steps between two reads.
            (default: :obj:`50`)
    """

    def __init__(self, *, size: int = 50) -> None:
        self.size = size
        self._rows: list[Tensor] = []

    def __len__(self) -> int:
        return len(self._rows)

    def is_full(self) -> bool:
        r"""Returns whether it is time to read."""
        return len(self) >= self.size

    def add(self, loss: Tensor, nll: Tensor, kl: Tensor) -> None:
        r"""Stores the losses of a step."""
        self._rows.append(torch.stack([loss, nll, kl]).detach())

    def read(self) -> list[Losses]:
        r"""Returns the losses of all steps since the last read."""
        if not self._rows:
            return []
        rows = torch.stack(self._rows).tolist()
        self._rows.clear()
        return [Losses(*row) for row in rows]
