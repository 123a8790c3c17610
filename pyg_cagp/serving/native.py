r"""Doubts read by a function in C++, which is built where it is asked for."""

import functools
import hashlib
import os
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from pyg_cagp.exceptions import MissingDependencyError
from pyg_cagp.serving.pair_table import PairTable
from pyg_cagp.serving.tables import Parts
from pyg_cagp.typing import Role

SOURCE = Path(__file__).with_name("doubt.cpp")
FLAGS = ["-O3"]

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


def reader(table: NativeTable, by_pytorch: PairTable) -> Reader:
    r"""Returns the function that reads doubts from a table. It checks what it
    is given.

    Args:
        table (NativeTable): What :func:`native_table` returns.
        by_pytorch (PairTable): The same for PyTorch, which is asked where
            programs are traced or transformed, and says what is wrong with
            ids that cannot be read.
    """
    # A file may have been loaded to another device.
    cpu = [part.cpu() if isinstance(part, Tensor) else part for part in table]
    return _library().reader(*cpu, by_pytorch.read, by_pytorch.read_checked)


@functools.cache
def _library() -> Any:
    try:
        # It imports setuptools, which is slow and may be missing.
        from torch.utils import cpp_extension

        return _built(cpp_extension)
    except (ImportError, OSError, RuntimeError) as error:
        what = str(error).partition("\n")[0]  # A compiler's log may follow.
        raise MissingDependencyError(
            f"'native' needs a C++ compiler, ninja and a folder to build in, "
            f"which TORCH_EXTENSIONS_DIR may name (got: {what}); without "
            f"'native', doubts are read by PyTorch"
        ) from error


def _built(cpp_extension: Any) -> Any:
    r"""Returns the library, built if nobody has built it before."""
    # Named by all that it depends on: it must not outlive its PyTorch.
    made_from = [torch.__version__, *FLAGS, SOURCE.read_text()]
    digest = hashlib.sha256("\n".join(made_from).encode()).hexdigest()[:12]
    name = f"pyg_cagp_doubt_{digest}"
    root = Path(
        os.environ.get("TORCH_EXTENSIONS_DIR")
        or cpp_extension.get_default_build_root()
    )
    path = root / f"{name}{EXTENSION_SUFFIXES[0]}"
    if not path.exists():
        _build(cpp_extension, name, path)
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"'{path}' cannot be loaded")
    library = module_from_spec(spec)
    spec.loader.exec_module(library)
    return library


def _build(cpp_extension: Any, name: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # In a folder of its own, so that a build that is cut off, or another one
    # at the same time, leaves nothing that looks finished.
    with TemporaryDirectory(prefix=f"{name}_", dir=path.parent) as folder:
        cpp_extension.load(
            name,
            [str(SOURCE)],
            extra_cflags=FLAGS,
            build_directory=folder,
            is_python_module=False,
        )
        os.replace(Path(folder) / f"{name}{cpp_extension.LIB_EXT}", path)
