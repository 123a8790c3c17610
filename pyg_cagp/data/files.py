r"""Writing files so that nobody ever sees half of one."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyg_cagp.exceptions import CacheError


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    r"""Lends a temporary path that becomes :obj:`path` if all goes well.

    The temporary file lies in the same folder, is flushed to disk before it
    is renamed, and is removed if anything fails.

    Args:
        path (pathlib.Path): The file to be written.
    """
    try:
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name}.", suffix=".part"
        )
    except OSError as error:
        raise CacheError(
            f"cannot write to '{path.parent}' ({error.strerror}); choose a "
            f"folder that exists and can be written to"
        ) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        # A temporary file is private; the result is as readable as others.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(path: Path, content: bytes) -> None:
    r"""Writes bytes to a file, whole or not at all."""
    with atomic_path(Path(path)) as temporary:
        temporary.write_bytes(content)
