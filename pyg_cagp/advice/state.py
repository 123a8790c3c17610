r"""Where the advice of a run lies: whole states, one of which is valid."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from pyg_cagp.data.files import write_atomically
from pyg_cagp.exceptions import CacheError, CheckpointError

#: Raised when older files cannot be read any more.
SCHEMA = 1

FOLDER, POINTER, LOCK = "advice", "advice.json", ".lock"
COVERAGE, KNOWN, MODEL = (
    "coverage.safetensors",
    "known.safetensors",
    "model.safetensors",
)
CAGP_FILE, EVIDENCE, NAMES = (
    "cagp.safetensors",
    "evidence.safetensors",
    "names.json",
)

#: What to do about advice that is missing or damaged.
REMEDY = "make it again with 'pyg-cagp train ... --out RUN --resume'"

_KEYS = (
    "version",
    "model",
    "model_crc32",
    "tau",
    "threshold",
    "conformal",
    "evidence",
    "updates",
)


def read_pointer(run: Path) -> dict[str, Any]:
    r"""Reads which state of a run's advice is valid, and its plain values.

    Args:
        run (pathlib.Path): The folder of the run.
    """
    path = run / FOLDER / POINTER
    if not run.is_dir():
        raise CheckpointError(
            f"there is no run '{run}'; train one with 'pyg-cagp train'"
        )
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        schema = int(document["schema"])
    except FileNotFoundError:
        raise CheckpointError(f"there is no '{path}'; {REMEDY}") from None
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"'{path}' cannot be read ({error!r}); {REMEDY}"
        ) from None
    if schema > SCHEMA:
        raise CheckpointError(
            f"'{path}' has schema {schema}, this pyg_cagp reads up to "
            f"{SCHEMA}; upgrade pyg_cagp"
        )
    missing = [key for key in _KEYS if key not in document]
    if missing:
        raise CheckpointError(f"'{path}' has no '{missing[0]}'; {REMEDY}")
    return document


def state_folder(run: Path, version: int) -> Path:
    r"""Returns the folder of a state.

    Args:
        run (pathlib.Path): The folder of the run.
        version (int): The number of the state.
    """
    return run / FOLDER / f"{version:03d}"


@contextmanager
def changing(run: Path) -> Iterator[None]:
    r"""Keeps others from changing the advice of a run at the same time.

    Args:
        run (pathlib.Path): The folder of the run.
    """
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


def new_state(run: Path, version: int) -> Path:
    r"""Makes an empty folder for a state that is not valid yet. What an
    interrupted process had left there is removed.

    Args:
        run (pathlib.Path): The folder of the run.
        version (int): The number of the state.
    """
    folder = state_folder(run, version)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def make_valid(run: Path, document: dict[str, Any]) -> None:
    r"""Makes a state the valid one, at once, and clears away those before the
    one before it: that one may still be being read.

    Args:
        run (pathlib.Path): The folder of the run.
        document (dict): The values of :obj:`advice.json`.
    """
    content = {"schema": SCHEMA, **document}
    text = json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False)
    write_atomically(run / FOLDER / POINTER, (text + "\n").encode())
    for folder in (run / FOLDER).iterdir():
        is_state = folder.name.isdecimal()
        if is_state and int(folder.name) < document["version"] - 1:
            shutil.rmtree(folder, ignore_errors=True)
    # What a killed process had half-written when it was killed.
    for part in (run / FOLDER).glob(f".{POINTER}.*.part"):
        part.unlink(missing_ok=True)
