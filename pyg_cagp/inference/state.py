r"""The files of the inference states of a run, of which one is valid."""

import json
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from types import NoneType
from typing import Any

from filelock import FileLock, Timeout

from pyg_cagp._utils.documents import (
    NUMBER,
    OPTIONAL_NUMBER,
    is_count,
    read_document,
)
from pyg_cagp._utils.files import make_folder, write_atomically
from pyg_cagp.exceptions import CacheError, CheckpointError
from pyg_cagp.nn.kge.query import SIDES

#: The version of the format, raised when it can no longer read older files.
SCHEMA = 1

FOLDER, POINTER, LOCK = "inference", "inference.json", ".lock"
COVERAGE, KNOWN = "coverage.safetensors", "known.safetensors"
MODEL, CAGP_FILE = "model.safetensors", "cagp.safetensors"
EVIDENCE, NAMES = "evidence.safetensors", "names.json"

#: The remedy for a state that is missing or damaged.
REMEDY = (
    "make it with 'pyg-cagp train ... --out RUN --resume', or in Python with "
    "'prepare(run_folder, kg, model)'"
)


def _is_inside(value: Any) -> bool:
    r"""Returns whether a path stays inside the folder it is relative to."""
    path = PurePosixPath(value) if isinstance(value, str) else None
    return path is not None and not (path.is_absolute() or ".." in path.parts)


def _is_checksums(value: Any) -> bool:
    return isinstance(value, dict) and all(
        Path(name).name == name and is_count(number)
        for name, number in value.items()
    )


#: The form of each value of :obj:`inference.json`.
FORMS = {
    "version": is_count,
    "model": _is_inside,
    "model_crc32": is_count,
    "tau": NUMBER,
    "inclusive": bool,
    "threshold": OPTIONAL_NUMBER,
    "conformal": {"alpha": NUMBER} | dict.fromkeys(SIDES, OPTIONAL_NUMBER),
    "evidence": (_is_inside, NoneType),
    "updates": list,
    "crc32": (_is_checksums, NoneType),
}


def read_pointer(run: Path) -> dict[str, Any]:
    r"""Reads the version of the valid state of a run, and its plain values."""
    if not run.is_dir():
        raise CheckpointError(
            f"there is no run '{run}'; train one with 'pyg-cagp train'"
        )
    return read_document(run / FOLDER / POINTER, SCHEMA, FORMS, REMEDY)


def state_folder(run: Path, version: int) -> Path:
    r"""Returns the folder of a state."""
    return run / FOLDER / f"{version:03d}"


@contextmanager
def locked(run: Path) -> Iterator[None]:
    r"""Locks the state of a run against changes by other processes."""
    folder = run / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK, timeout=0)
        lock.acquire()
    except Timeout:
        raise CacheError(
            f"another process is changing '{folder}'; wait until it is done"
        ) from None
    except OSError as error:
        raise CacheError(
            f"cannot write to '{folder}' ({error.strerror})"
        ) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def new_state(run: Path, version: int) -> Iterator[Path]:
    r"""Yields an empty folder for a state that is not valid yet. The folder is
    removed on errors. One of a killed process is replaced.
    """
    folder = state_folder(run, version)
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(folder)
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def check_state(run: Path, document: dict[str, Any]) -> Path:
    r"""Checks that the files of the valid state are those that were written,
    and returns their folder.
    """
    folder = state_folder(run, document["version"])
    for name, expected in (document["crc32"] or {}).items():
        path = folder / name
        if not path.is_file():
            raise CheckpointError(f"there is no '{path}'; {REMEDY}")
        if _crc32(path) != expected:
            raise CheckpointError(
                f"'{path}' is damaged: its bytes are not those that were "
                f"written; {REMEDY}"
            )
    return folder


def _crc32(path: Path) -> int:
    total = 0
    with open(path, "rb") as file:
        while block := file.read(2**20):
            total = zlib.crc32(block, total)
    return total


def make_valid(run: Path, document: dict[str, Any]) -> None:
    r"""Makes a state the valid one, atomically. Older states are removed except
    for the previous one, which another process may be reading.
    """
    files = sorted(state_folder(run, document["version"]).iterdir())
    sums = {path.name: _crc32(path) for path in files}
    content = {"schema": SCHEMA, **document, "crc32": sums}
    text = json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False)
    write_atomically(run / FOLDER / POINTER, (text + "\n").encode())
    for folder in (run / FOLDER).iterdir():
        is_state = folder.name.isdecimal()
        if is_state and int(folder.name) < document["version"] - 1:
            shutil.rmtree(folder, ignore_errors=True)
    # Parts of files that a killed process left.
    for part in (run / FOLDER).glob(f".{POINTER}.*.part"):
        part.unlink(missing_ok=True)
