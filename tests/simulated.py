"""A simulated device, to test code for accelerators without one.

Its tensors claim the device `sim`, compute on the CPU, and refuse to be mixed
with tensors of the CPU, as those of an accelerator do. Each wait of the host
for a value from the device is counted.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.backend_registration import (
    _setup_privateuseone_for_python_backend,
)

_setup_privateuseone_for_python_backend("sim")
torch.sim.get_amp_supported_dtype = lambda: [torch.bfloat16]

aten = torch.ops.aten
CPU, DEVICE = torch.device("cpu"), torch.device("sim", 0)

#: Operations whose result has a value or a size that the host must know.
WAITS = {
    aten._local_scalar_dense.default,
    aten._unique2.default,
    aten.bincount.default,
    aten.equal.default,
    aten.is_nonzero.default,
    aten.masked_select.default,
    aten.nonzero.default,
    aten.unique_consecutive.default,
    aten.unique_dim.default,
}
#: Operations that take tensors of both devices.
COPIES = {aten._to_copy.default, aten.copy_.default, aten.set_.source_Tensor}


class SimulatedTensor(torch.Tensor):
    """A tensor of the simulated device, around one of the CPU."""

    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner):
        tensor = torch.Tensor._make_wrapper_subclass(
            cls,
            inner.shape,
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device=DEVICE,
        )
        tensor.inner = inner
        return tensor

    def __repr__(self):
        return f"SimulatedTensor({self.inner})"

    def tolist(self):
        return self.cpu().tolist()

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError("tensors of 'sim' need 'simulated_device()'")


class _Generator(torch.Generator):
    """Draws for the simulated device come from the CPU."""

    def __new__(cls, device=None):
        return super().__new__(cls, CPU)


class Device(TorchDispatchMode):
    """The simulated device, and how often the host waited for it."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: Counter[str] = Counter()

    @property
    def num_waits(self) -> int:
        return sum(self.waits.values())

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        leaves = tree_leaves((args, kwargs))
        simulated = [x for x in leaves if isinstance(x, SimulatedTensor)]
        if func not in COPIES:
            _check_devices(func, leaves, bool(simulated))
        target = kwargs.get("device")
        here = bool(simulated) if target is None else target.type == "sim"
        if simulated and _waits(func, args, kwargs, here):
            self.waits[str(func)] += 1
        args, kwargs = tree_map(_to_cpu, (args, kwargs))
        out = func(*args, **kwargs)
        written = _written(func, leaves)
        if written is not None:
            return written
        return tree_map(_wrap, out) if here else out


def _check_devices(func: Any, leaves: list[Any], simulated: bool) -> None:
    # Scalars of the CPU may be mixed with tensors of any device.
    others = [
        x
        for x in leaves
        if isinstance(x, torch.Tensor)
        and not isinstance(x, SimulatedTensor)
        and x.dim() > 0
    ]
    if simulated and others:
        raise RuntimeError(f"{func} got tensors of two devices, sim and cpu")


def _waits(func: Any, args: Any, kwargs: Any, here: bool) -> bool:
    if func in WAITS or (func is aten._to_copy.default and not here):
        return True
    if func is aten.copy_.default:
        return not isinstance(args[0], SimulatedTensor)
    if func is aten.repeat_interleave.Tensor:
        return kwargs.get("output_size") is None
    if func in (aten.index.Tensor, aten.index_put.default):
        return _by_mask(args[1])
    if func is aten.index_put_.default:
        return _by_mask(args[1]) and args[2].dim() > 0
    return False


def _by_mask(indices: Any) -> bool:
    return any(x is not None and x.dtype == torch.bool for x in indices)


def _written(func: Any, leaves: list[Any]) -> Any:
    """The argument that an operation in place returns."""
    schema = func._schema
    first = schema.arguments[0].alias_info if schema.arguments else None
    if schema.is_mutable and first is not None and first.is_write:
        return leaves[0] if len(schema.returns) == 1 else None
    return None


def _to_cpu(value: Any) -> Any:
    if isinstance(value, SimulatedTensor):
        return value.inner
    if isinstance(value, torch.device) and value.type == "sim":
        return CPU
    return value


def _wrap(value: Any) -> Any:
    is_plain = isinstance(value, torch.Tensor) and not isinstance(
        value, SimulatedTensor
    )
    return SimulatedTensor(value) if is_plain else value


@contextmanager
def simulated_device() -> Iterator[Device]:
    """Makes the device `sim` and yields the counts of its waits."""
    # Lists become tensors of the CPU first, which the mode then moves.
    torch._C._set_only_lift_cpu_tensors(True)
    try:
        with (
            Device() as device,
            mock.patch.object(torch, "Generator", _Generator),
        ):
            yield device
    finally:
        torch._C._set_only_lift_cpu_tensors(False)
