r"""Reading of an inference state: model, coverage, names and triples."""

import difflib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from pyg_cagp._utils.documents import UPGRADE
from pyg_cagp._utils.names import plain_name
from pyg_cagp.coverage import Coverage
from pyg_cagp.exceptions import CAGPError, CheckpointError, InvalidInputError
from pyg_cagp.inference import state
from pyg_cagp.inference.state import REMEDY
from pyg_cagp.nn.kge import GaussianKGEModel
from pyg_cagp.train import load_model
from pyg_cagp.train.checkpoint import load_checkpoint

T = TypeVar("T")


class Names:
    r"""The names of entities or of relations, and their numbers.

    Names are first compared exactly. An unknown name is then compared without
    surrounding blanks and in composed Unicode form, since a file may have an
    accent as a separate character.

    Example:
        >>> names = Names(["Zürich", "Bern"])
        >>> names.find(["Bern", " Bern", "Paris"])
        tensor([ 1,  1, -1])
    """

    def __init__(self, names: Iterable[str], *, kind: str = "entity") -> None:
        self.names = list(names)
        self.kind = kind
        self._number = {name: i for i, name in enumerate(self.names)}

    @cached_property
    def _plain(self) -> dict[str, int]:
        numbers: dict[str, int] = {}
        for number, name in enumerate(self.names):
            # A spelling that matches two names is ambiguous.
            plain = plain_name(name)
            numbers[plain] = -1 if plain in numbers else number
        return numbers

    def find(self, names: Sequence[str]) -> Tensor:
        r"""Returns the numbers of names, -1 for unknown names."""
        get = self._number.get
        numbers = np.fromiter((get(n, -1) for n in names), np.int64, len(names))
        for row in np.flatnonzero(numbers < 0).tolist():
            numbers[row] = self._plain.get(plain_name(names[row]), -1)
        return torch.from_numpy(numbers)

    def number(self, name: str) -> int:
        r"""Returns the number of a name. For an unknown name, raises an error
        that lists the most similar names.
        """
        number = int(self.find([name])[0])
        if number >= 0:
            return number
        hint = f"none of the {len(self):,} known names is similar"
        if close := self.closest(name):
            hint = f"did you mean {' or '.join(map(repr, close))}?"
        raise InvalidInputError(f"there is no {self.kind} {name!r}; {hint}")

    def closest(self, name: str, num: int = 3) -> list[str]:
        r"""Returns the known names that are most similar to an unknown one."""
        # Comparison with millions of names is slow, so names of other lengths
        # are left out.
        slack = 3 + len(name) // 3
        folded: dict[str, str] = {}
        for known in self.names:
            if abs(len(known) - len(name)) <= slack:
                folded.setdefault(known.casefold(), known)
        close = difflib.get_close_matches(name.casefold(), folded, num)
        return [folded[match] for match in close]

    def __getitem__(self, number: int) -> str:
        return self.names[number]

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({len(self)})"


def read_part(path: Path, read: Callable[[], T]) -> T:
    r"""Reads a file of a state. Errors state the remedy."""
    if not path.is_file():
        raise CheckpointError(f"there is no '{path}'; {REMEDY}")
    try:
        return read()
    except CAGPError as error:
        if str(error).endswith(UPGRADE):
            raise
        raise CheckpointError(f"{error}; {REMEDY}") from None
    except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = str(error).splitlines()[0] if str(error) else repr(error)
        raise CheckpointError(
            f"'{path}' cannot be read ({reason}); {REMEDY}"
        ) from None


@dataclass(frozen=True)
class State:
    r"""The valid state of a run, in its folder :obj:`folder`."""

    run: Path
    folder: Path
    document: dict[str, Any]  # The values of inference.json.
    model: GaussianKGEModel
    meta: dict[str, Any]  # The values that are stored with the model.
    coverage: Coverage
    entities: Names
    relations: Names
    train: Tensor  # Training triples and added triples, of shape [3, E].
    val: Tensor


def read_state(run: Path, *, device: torch.device | str = "cpu") -> State:
    r"""Reads the valid state of a run. The folder may be untrusted: every value
    is checked, and nothing is unpickled.
    """
    document = state.read_pointer(run)
    folder = state.check_state(run, document)
    path = run / document["model"]
    model, meta = read_part(path, lambda: load_model(path, device=device))
    if meta["crc32"] != document["model_crc32"]:
        raise CheckpointError(
            f"'{folder}' was made for another model than '{path}'; {REMEDY}"
        )
    sizes = model.num_nodes, model.num_relations
    file = folder / state.COVERAGE
    # Not memory-mapped, since an update removes the file.
    coverage = read_part(file, lambda: Coverage.load(file, mmap=False))
    if (coverage.num_nodes, coverage.num_relations) != sizes:
        raise CheckpointError(
            f"'{file}' is of another graph than the model; {REMEDY}"
        )
    path = folder / state.NAMES
    names = read_part(path, lambda: _read_names(path, *sizes))
    path = folder / state.KNOWN
    tensors, _ = read_part(path, lambda: load_checkpoint(path))
    train, val = read_part(path, lambda: (tensors["train"], tensors["val"]))
    coverage = coverage.to(device)
    return State(
        run, folder, document, model, meta, coverage, *names, train, val
    )


def _read_names(
    path: Path, num_nodes: int, num_relations: int
) -> tuple[Names, Names]:
    document = json.loads(path.read_text(encoding="utf-8"))
    both = []
    for key, kind, size in (
        ("entities", "entity", num_nodes),
        ("relations", "relation", num_relations),
    ):
        names = document[key]
        if names is None:  # The numbers are the names.
            names = [str(number) for number in range(size)]
        if len(names) != size:
            raise ValueError(f"{len(names)} {key} instead of {size}")
        if not all(isinstance(name, str) for name in names):
            raise ValueError(f"{key} whose names are not text")
        both.append(Names(names, kind=kind))
    return both[0], both[1]
