r"""Optimisers, their schedule, and their state by name."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.optim import Adagrad, Optimizer, SparseAdam

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.train.adam import RowAdam
from pyg_cagp.train.options import TrainOptions


def build_optimizers(
    model: GaussianKGEModel, options: TrainOptions
) -> list[Optimizer]:
    r"""Makes the optimisers of a model: two if only some of its gradients are
    sparse and the first kind takes no others.

    Args:
        model (GaussianKGEModel): The model.
        options (TrainOptions): The options.
    """
    weights = [w for w in model.parameters() if w.requires_grad]
    if options.optimizer == "adam":
        return [RowAdam(weights, options.lr)]
    if options.optimizer == "adagrad":
        # They are disabled already; PyTorch warns unless that is said.
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
    r"""Returns which part of the learning rate a step gets. It depends on the
    step alone, so there is no state to keep.

    Args:
        schedule (str): :obj:`"constant"`, :obj:`"linear"` or
            :obj:`"cosine"`.
        step (int): The step, from 0.
        num_steps (int): The number of steps of the whole training.

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
    r"""Puts back what :func:`optimizer_state` gave."""
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
            # Counts of steps stay where they are; the rest is with its weight.
            on_cpu = key == "step" and not weight.is_cuda
            entries[key] = value if on_cpu else value.to(weight.device)


def clip_gradients(weights: Sequence[Tensor], max_norm: float) -> Tensor:
    r"""Scales all gradients, dense and sparse, so that their norm together is
    at most :obj:`max_norm`, and returns what it was before.

    Args:
        weights (sequence): The parameters.
        max_norm (float): The largest norm.
    """
    grads = []
    for weight in weights:
        grad = weight.grad
        if grad is None:
            continue
        if grad.is_sparse:
            # Rows that stand there twice count as the one they add up to.
            grad = grad.coalesce()
            weight.grad = grad
            grad = grad.values()
        grads.append(grad)
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    share = (max_norm / norm.clamp(min=1e-12)).clamp(max=1)
    for grad in grads:
        grad.mul_(share)
    return norm
