r"""Doubts and scores by functions in C++, which are built where they are asked
for.
"""

import contextlib
import functools
import hashlib
import os
import threading
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

SOURCES = Path(__file__).with_name("csrc")
NAME = "pyg_cagp_serving"  #: Of the module in C++.
FLAGS = ["-O3"]
_ONE_AT_A_TIME = threading.Lock()

#: What returns the doubt about each triple.
Reader = Callable[[Tensor, Tensor, Tensor], Tensor]


class NativeFunctions(NamedTuple):
    r"""Functions that find doubts, scores, or both in one call.

    The first one checks what it is given. The others also take embeddings, as
    of :class:`~pyg_cagp.serving.embeddings.PlainEmbeddings`, and return
    :obj:`None` where the model itself must be asked: about ids that are not
    valid, where gradients are wanted, and where programs are traced or
    transformed.
    """

    doubt: Reader
    score: Callable[..., Tensor | None]
    both: Callable[..., tuple[Tensor, Tensor] | None]


class NativeTable(NamedTuple):
    r"""What :func:`native_functions` reads: tensors and numbers, so that it can
    be copied and saved, as a function cannot.

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


def native_functions(
    table: NativeTable, by_pytorch: PairTable
) -> NativeFunctions:
    r"""Returns functions that read from a table.

    Args:
        table (NativeTable): What :func:`native_table` returns.
        by_pytorch (PairTable): The same for PyTorch, which is asked where
            programs are traced or transformed, and says what is wrong with
            ids that cannot be read.
    """
    # A file may have been loaded to another device.
    cpu = [part.cpu() if isinstance(part, Tensor) else part for part in table]
    with _ONE_AT_A_TIME:
        library = _library()
    return NativeFunctions(*library.functions(*cpu, by_pytorch.read_checked))


@functools.cache
def _library() -> Any:
    # Named by what it depends on: it must not outlive its PyTorch.
    abi = str(torch.compiled_with_cxx11_abi())
    made_from = [torch.__version__, abi, *FLAGS]
    made_from += [path.read_text("utf-8") for path in _sources("h", "cpp")]
    digest = hashlib.sha256("\n".join(made_from).encode()).hexdigest()[:12]
    root = os.environ.get("TORCH_EXTENSIONS_DIR") or "~/.cache/torch_extensions"
    try:
        folder = Path(root).expanduser()
        path = folder / f"{NAME}_{digest}{EXTENSION_SUFFIXES[0]}"
        if path.exists():
            with contextlib.suppress(ImportError):  # Damaged, so built again.
                return _load(path)
        _build(path)
        return _load(path)
    except (ImportError, OSError, RuntimeError) as error:
        what = str(error).partition("\n")[0]  # A compiler's log may follow.
        raise MissingDependencyError(
            f"'native' needs a C++ compiler, ninja, setuptools and a folder to "
            f"build in, which TORCH_EXTENSIONS_DIR may name (got: {what}); "
            f"without 'native', doubts are read by PyTorch"
        ) from error


def _sources(*kinds: str) -> list[Path]:
    return sorted(p for kind in kinds for p in SOURCES.glob(f"*.{kind}"))


def _load(path: Path) -> Any:
    spec = spec_from_file_location(NAME, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"'{path}' cannot be loaded")
    library = module_from_spec(spec)
    spec.loader.exec_module(library)
    return library


def _build(path: Path) -> None:
    from torch.utils import cpp_extension  # Slow: it imports setuptools.

    path.parent.mkdir(parents=True, exist_ok=True)
    # In a folder of its own, so that a build that is cut off, or another one
    # at the same time, leaves nothing that looks finished.
    with TemporaryDirectory(prefix=f"{NAME}_", dir=path.parent) as folder:
        cpp_extension.load(
            NAME,
            [str(source) for source in _sources("cpp")],
            extra_cflags=FLAGS,
            build_directory=folder,
            is_python_module=False,
        )
        # PyTorch adds a number to the name of whatever is built again.
        (built,) = Path(folder).glob(f"{NAME}*{cpp_extension.LIB_EXT}")
        os.replace(built, path)
