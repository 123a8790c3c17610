r"""The parts of a state on disk, each read with suspicion."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from torch import Tensor

from pyg_cagp._utils.documents import UPGRADE
from pyg_cagp._utils.files import write_atomically
from pyg_cagp.exceptions import CAGPError, CheckpointError
from pyg_cagp.inference.names import Names
from pyg_cagp.inference.state import REMEDY
from pyg_cagp.train.checkpoint import load_checkpoint, save_checkpoint

T = TypeVar("T")


def read_part(path: Path, read: Callable[[], T]) -> T:
    r"""Reads a file, and says what to do where that fails.

    Args:
        path (pathlib.Path): The file, for the message.
        read (callable): What reads it.
    """
    if not path.is_file():
        raise CheckpointError(f"there is no '{path}'; {REMEDY}")
    try:
        return read()
    except CAGPError as error:
        if str(error).endswith(UPGRADE):
            raise
        raise CheckpointError(f"{error}; {REMEDY}") from None
    except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(
            f"'{path}' cannot be read ({_reason(error)}); {REMEDY}"
        ) from None


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else repr(error)


# Known triples ###############################################################


def write_known(path: Path, train: Tensor, val: Tensor) -> None:
    r"""Writes the triples that need no prediction any more.

    Args:
        path (pathlib.Path): The file.
        train (torch.Tensor): Heads, relations and tails of what was learned
            or added later, of shape :obj:`[3, E]`.
        val (torch.Tensor): Those of validation, of shape :obj:`[3, V]`.
    """
    save_checkpoint(path, {"train": train, "val": val}, {})


def read_known(path: Path) -> tuple[Tensor, Tensor]:
    r"""Reads what :func:`write_known` has written.

    Args:
        path (pathlib.Path): The file.
    """

    def read() -> tuple[Tensor, Tensor]:
        tensors, _ = load_checkpoint(path)
        return tensors["train"], tensors["val"]

    return read_part(path, read)


# Names #######################################################################


def write_names(
    path: Path, entities: list[str] | None, relations: list[str] | None
) -> None:
    r"""Writes the names of a graph.

    Args:
        path (pathlib.Path): The file.
        entities (list): The names of entities; :obj:`None` if they have none.
        relations (list): The same for relations.
    """
    document = {"entities": entities, "relations": relations}
    write_atomically(path, json.dumps(document).encode())


def read_names(
    path: Path, num_nodes: int, num_relations: int
) -> tuple[Names, Names]:
    r"""Reads the names of a graph; numbers take the place of missing ones.

    Args:
        path (pathlib.Path): The file.
        num_nodes (int): The number of entities.
        num_relations (int): The number of relations.
    """

    def read() -> tuple[Names, Names]:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = []
        for key, size in (
            ("entities", num_nodes),
            ("relations", num_relations),
        ):
            names = document[key]
            if names is not None and len(names) != size:
                raise ValueError(f"{len(names)} {key} instead of {size}")
            if not all(isinstance(name, str) for name in names or ()):
                raise ValueError(f"{key} whose names are no text")
            found.append(Names.numbers(size) if names is None else Names(names))
        return found[0], found[1]

    return read_part(path, read)
