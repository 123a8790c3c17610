r"""Doubts read by a function in C++, which is built where it is asked for."""

import functools
import hashlib
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from filelock import FileLock
from torch import Tensor

from pyg_cagp.exceptions import MissingDependencyError
from pyg_cagp.serving.tables import Parts, check_triples
from pyg_cagp.typing import Role

SOURCE = Path(__file__).with_name("doubt.cpp")

#: What returns the doubt about each triple.
Reader = Callable[[Tensor, Tensor, Tensor], Tensor]


class NativeTable(NamedTuple):
    r"""What :func:`reader` is made from: tensors and numbers, so that it can be
    copied and saved, as a function cannot.

    :obj:`cells` has a row for each entity. :obj:`columns` is how many cells a
    row has, of one bit or one float each: those of heads, and behind them
    those of tails, if roles differ. :obj:`num_ids` counts inverse relations,
    :obj:`num_relations` does not.
    """

    cells: Tensor
    head_own: Tensor | None
    tail_own: Tensor | None
    weight: float
    larger: bool
    num_relations: int
    num_ids: int
    columns: int


def native_table(parts: Parts, num_ids: int) -> NativeTable:
    r"""Lays out what doubts are made of, as small as can be.

    Args:
        parts (Parts): What doubts are made of.
        num_ids (int): The number of relations that may be asked for, inverse
            ones among them. They need no columns of their own.
    """
    head, tail = parts.lacking["head"].cpu(), parts.lacking["tail"].cpu()
    same = torch.equal(head, tail)
    cells = head if same else torch.cat([head, tail], dim=1)
    columns = cells.size(1)
    if cells.dtype == torch.uint8:
        bits = np.packbits(cells.numpy(), axis=1, bitorder="little")
        cells = torch.from_numpy(bits)
    return NativeTable(
        cells.contiguous(),
        _own(parts, "head"),
        _own(parts, "tail"),
        parts.weight,
        parts.larger,
        head.size(1),
        num_ids,
        columns,
    )


def _own(parts: Parts, role: Role) -> Tensor | None:
    if parts.own is None:
        return None
    return parts.own[role].detach().float().cpu().contiguous()


def reader(table: NativeTable) -> Reader:
    r"""Returns the function that reads doubts from a table. It checks what it
    is given.

    Args:
        table (NativeTable): What :func:`native_table` returns.
    """
    num_nodes = table.cells.size(0)
    refuse = functools.partial(check_triples, num_nodes, table.num_ids)
    return _library().reader(*table, refuse)


@functools.cache
def _library() -> Any:
    try:
        # It imports setuptools, which is slow and may be missing.
        from torch.utils import cpp_extension

        return _build(cpp_extension)
    except (ImportError, OSError, RuntimeError) as error:
        raise MissingDependencyError(
            f"'native' needs a C++ compiler and ninja, and a folder to build "
            f"in, which TORCH_EXTENSIONS_DIR may name (got: {error}); without "
            f"'native', doubts are read by PyTorch"
        ) from error


def _build(cpp_extension: Any) -> Any:
    # Named by all that it depends on: it must not outlive its PyTorch.
    made_from = SOURCE.read_bytes() + torch.__version__.encode()
    digest = hashlib.sha256(made_from).hexdigest()[:12]
    name = f"pyg_cagp_doubt_{digest}_py{platform.python_version_tuple()[1]}"
    root = Path(cpp_extension.get_default_build_root())
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(root / f"{name}.lock"):
        # PyTorch waits for whoever has made this file, even if that process
        # was killed; behind our own lock there is nobody to wait for.
        (folder / "lock").unlink(missing_ok=True)
        return cpp_extension.load(
            name,
            [str(SOURCE)],
            extra_cflags=["-O3"],
            build_directory=str(folder),
        )
