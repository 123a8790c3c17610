r"""Adam for sparse gradients that forgets nothing."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Adam


class RowAdam(Adam):
    r"""PyTorch's fused :class:`~torch.optim.Adam`, which also takes sparse
    gradients, and then does what it would do with dense ones.

    :class:`~torch.optim.SparseAdam` leaves the moments of all other rows as
    they are, which is another algorithm. Here, the rows of a sparse gradient
    are added into one buffer that stays in memory and is cleaned row by row, so
    that no step has to fill, or find memory for, a matrix of all entities.

    Args:
        params (iterable): The parameters.
        lr (float, optional): The learning rate. (default: :obj:`0.001`)
        **kwargs (optional): Additional arguments of
            :class:`~torch.optim.Adam`.
    """

    def __init__(
        self, params: Iterable[Tensor], lr: float = 1e-3, **kwargs: Any
    ) -> None:
        super().__init__(params, lr=lr, fused=True, **kwargs)
        # Not part of the state: it is all zeros between steps.
        self._buffers: dict[Tensor, Tensor] = {}

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        r"""Performs a single optimisation step.

        Args:
            closure (callable, optional): Evaluates the model again and returns
                the loss. (default: :obj:`None`)
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        rows = []
        for group in self.param_groups:
            for weight in group["params"]:
                grad = weight.grad
                if grad is None or not grad.is_sparse:
                    continue
                if weight not in self._buffers:
                    self._buffers[weight] = torch.zeros_like(weight)
                buffer, row = self._buffers[weight], grad._indices()[0]
                buffer.index_add_(0, row, grad._values())
                weight.grad = buffer
                rows.append((weight, row))
        super().step()
        for weight, row in rows:
            self._buffers[weight].index_fill_(0, row, 0)
            weight.grad = None
        return loss
