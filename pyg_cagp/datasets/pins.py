r"""Pinned digests of published files."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from pyg_cagp.exceptions import ChecksumError

#: The usual names of train, validation and test.
SPLIT_FILES = ("train.txt", "valid.txt", "test.txt")


class Pin(NamedTuple):
    r"""The kind and the value of the digest that a file must have."""

    kind: str
    value: str


def sha256(value: str) -> tuple[Pin, ...]:
    r"""Pins a file by its SHA-256."""
    return (Pin("sha256", value),)


def pin_each(
    kind: str, values: Sequence[object], names: Sequence[str] = SPLIT_FILES
) -> dict[str, tuple[Pin, ...]]:
    r"""Pins files in their order, as many as there are values."""
    pins = [(Pin(kind, str(value)),) for value in values]
    return dict(zip(names, pins, strict=False))


def _digest(algorithm: str) -> Callable[[Path], str]:
    def digest(path: Path) -> str:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, algorithm).hexdigest()

    return digest


def _sorted_lines(path: Path) -> str:
    # Published copies of a file may differ in the order of lines.
    lines = sorted(path.read_bytes().splitlines(keepends=True))
    return hashlib.sha256(b"".join(lines)).hexdigest()


def _git_blob(path: Path) -> str:
    # Git names files by SHA-1.
    digest = hashlib.sha1(  # noqa: S324
        f"blob {path.stat().st_size}\0".encode()
    )
    digest.update(path.read_bytes())
    return digest.hexdigest()


def _num_lines(path: Path) -> str:
    raw = path.read_bytes()
    return str(raw.count(b"\n") + (not raw.endswith(b"\n")))


#: The kinds of digests. A number of lines detects truncated files only and is
#: used if no digest is known.
KINDS: dict[str, Callable[[Path], str]] = {
    "sha256": _digest("sha256"),
    "sha256 of the sorted lines": _sorted_lines,
    "md5": _digest("md5"),
    "git blob id": _git_blob,
    "number of lines": _num_lines,
}


def verify(path: Path, pins: Sequence[Pin], name: str | None = None) -> None:
    r"""Raises :class:`ChecksumError` if a file is not the pinned one."""
    for pin in pins:
        value = KINDS[pin.kind](path)
        if value != pin.value:
            raise ChecksumError(
                f"'{name or path}' is not the published file: its {pin.kind} "
                f"is {value}, expected {pin.value}; delete it to fetch it "
                f"again, or read another graph with KGFolder"
            )
