r"""Optimisers, their schedule, and their state by name."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim import Adagrad, Adam, Optimizer, SparseAdam

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.train.options import TrainOptions


class RowAdam(Adam):
    r"""PyTorch's fused :class:`~torch.optim.Adam` for dense and sparse
    gradients. :class:`~torch.optim.SparseAdam` is another algorithm, which does
    not update the moments of rows without a gradient.
    """

    def __init__(
        self, params: Iterable[Tensor], lr: float = 1e-3, **kwargs: Any
    ) -> None:
        super().__init__(params, lr=lr, fused=True, **kwargs)
        # Dense gradients, all zeros between steps and therefore not part of the
        # state. A step fills and clears the rows of a sparse gradient only.
        self._buffers: dict[Tensor, Tensor] = {}

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        r"""Performs a single optimisation step."""
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
            # A whole buffer is cleared faster than many rows of it.
            if row.numel() > len(weight) // 4:
                self._buffers[weight].zero_()
            else:
                self._buffers[weight].index_fill_(0, row, 0)
            weight.grad = None
        return loss


def build_optimizers(
    model: GaussianKGEModel, options: TrainOptions
) -> list[Optimizer]:
    r"""Makes the optimisers of a model. With :obj:`"sparse-adam"`, weights with
    dense gradients get a second one.
    """
    weights = [w for w in model.parameters() if w.requires_grad]
    if options.optimizer == "adam":
        return [RowAdam(weights, options.lr)]
    if options.optimizer == "adagrad":
        # PyTorch warns unless these checks are disabled explicitly.
        torch.sparse.check_sparse_tensor_invariants.disable()
        return [Adagrad(weights, options.lr)]
    embeddings = {
        id(module.weight)
        for module in model.modules()
        if isinstance(module, torch.nn.Embedding) and module.sparse
    }
    sparse = [w for w in weights if id(w) in embeddings]
    dense = [w for w in weights if id(w) not in embeddings]
    if not sparse:
        raise InvalidInputError(
            "optimizer 'sparse-adam' needs a model with sparse gradients "
            "(sparse=True); use 'adam'"
        )
    optimizers: list[Optimizer] = [SparseAdam(sparse, options.lr)]
    if dense:
        optimizers.append(RowAdam(dense, options.lr))
    return optimizers


def scheduled_share(schedule: str, step: int, num_steps: int) -> float:
    r"""Returns the factor of the learning rate at a step, counted from 0. It
    depends on the step alone, so there is no state to store.

    Example:
        >>> [scheduled_share("linear", step, 4) for step in range(4)]
        [1.0, 0.75, 0.5, 0.25]
    """
    done = step / num_steps
    if schedule == "linear":
        return 1 - done
    if schedule == "cosine":
        return 0.5 * (1 + math.cos(math.pi * done))
    return 1.0


def optimizer_state(
    model: GaussianKGEModel, optimizers: Sequence[Optimizer]
) -> dict[str, Tensor]:
    r"""Returns the state of optimisers, by the names of parameters."""
    names = {id(weight): name for name, weight in model.named_parameters()}
    state = {}
    for optimizer in optimizers:
        for weight, entries in optimizer.state.items():
            for key, value in entries.items():
                # Some optimisers count steps in tensors, some in numbers.
                if not isinstance(value, Tensor):
                    value = torch.tensor(value)
                    key = f"#{key}"
                state[f"{names[id(weight)]}/{key}"] = value
    return state


def load_optimizer_state(
    model: GaussianKGEModel,
    optimizers: Sequence[Optimizer],
    state: dict[str, Tensor],
) -> None:
    r"""Restores what :func:`optimizer_state` returned."""
    weights = dict(model.named_parameters())
    owner = {
        id(weight): optimizer
        for optimizer in optimizers
        for group in optimizer.param_groups
        for weight in group["params"]
    }
    for path, value in state.items():
        name, _, key = path.rpartition("/")
        weight = weights[name]
        entries = owner[id(weight)].state[weight]
        if key.startswith("#"):
            entries[key[1:]] = value.item()
        else:
            # Step counts are on the CPU unless the weight is on a GPU.
            on_cpu = key == "step" and not weight.is_cuda
            entries[key] = value if on_cpu else value.to(weight.device)


def clip_gradients(weights: Sequence[Tensor], max_norm: float) -> Tensor:
    r"""Scales all gradients, dense and sparse, so that their joint norm is at
    most :obj:`max_norm`. Returns the norm before scaling.
    """
    grads = []
    for weight in weights:
        if weight.grad is not None and weight.grad.is_sparse:
            # The gradient of a repeated row is the sum of its entries.
            weight.grad = weight.grad.coalesce()
            grads.append(weight.grad.values())
        elif weight.grad is not None:
            grads.append(weight.grad)
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    share = (max_norm / norm.clamp(min=1e-12)).clamp(max=1)
    for grad in grads:
        grad.mul_(share)
    return norm
