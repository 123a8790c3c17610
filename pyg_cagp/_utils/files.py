r"""Checks of paths, and atomic writes of files."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from pyg_cagp.exceptions import CacheError, InvalidInputError


def check_target(path: Path) -> None:
    r"""Checks that a file can be written, before its content is computed. A
    folder that does not exist yet is not an error here.
    """
    if path.is_dir():
        raise InvalidInputError(
            f"'{path}' is a folder; name the file to be written"
        )
    if path.parent.is_dir() and not os.access(path.parent, os.W_OK):
        raise CacheError(
            f"cannot write to '{path.parent}'; choose a folder that can be "
            f"written to"
        )


def make_folder(path: Path) -> None:
    r"""Makes a folder and its missing parents."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CacheError(
            f"cannot make the folder '{path}' ({error.strerror})"
        ) from error


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    r"""Yields a temporary path, which is renamed to :obj:`path` at the end.

    The temporary file lies in the same folder. It is flushed to disk before it
    is renamed, and removed after an error.
    """
    check_target(path)
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except OSError as error:
        raise CacheError(
            f"cannot write to '{path.parent}' ({error.strerror}); choose a "
            f"folder that exists and can be written to"
        ) from error
    os.close(handle)
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def expand(path: str | Path) -> Path:
    r"""Replaces a leading :obj:`~` by the home folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InvalidInputError(
            f"'{path}' cannot be expanded ({error})"
        ) from None


def write_atomically(path: Path, content: bytes) -> None:
    r"""Writes bytes to a file, atomically."""
    with atomic_path(Path(path)) as temporary:
        temporary.write_bytes(content)
