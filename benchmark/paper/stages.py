r"""The stages that a result passes through, and the version of each.

A version is raised by hand when the *meaning* of a stage changes; every record
that passed through the stage is then stale. The code of a stage is not part of
a result's identity. Its digest only shows whether the golden run, or a
recomputation, has confirmed the results since the code changed.
"""

import ast
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyg_cagp
from pyg_cagp._utils.files import write_atomically

PACKAGE = Path(pyg_cagp.__file__).parent
#: The code that the golden run has confirmed.
STAMPS = Path(__file__).with_name("verified.json")


class Stage(NamedTuple):
    r"""A stage: its version, and the folders of the package that own it."""

    version: int
    folders: tuple[str, ...]


#: Each stage by its name, in the order of the data.
STAGES = {
    "data": Stage(1, ("data", "datasets")),
    "labels": Stage(1, ("transforms", "protocols", "coverage")),
    "model": Stage(1, ("nn", "train")),
    "posterior": Stage(1, ("nn/posterior",)),
    "scores": Stage(1, ("nn/scoring", "uncertainty")),
    "metrics": Stage(1, ("metrics", "evaluate", "theory")),
}


def stage_of(path: Path) -> str | None:
    r"""Returns the stage that owns a file; the longest folder decides."""
    if not path.is_relative_to(PACKAGE):
        return None
    inside = path.relative_to(PACKAGE).parent
    folders = [inside.as_posix(), *(p.as_posix() for p in inside.parents)]
    owners = {f: name for name, (_, own) in STAGES.items() for f in own}
    return next((owners[f] for f in folders if f in owners), None)


@cache
def code_digests() -> dict[str, str]:
    r"""Returns a digest of the code of each stage.

    Comments, docstrings, imports and the names of files do not count.
    """
    code: dict[str, list[str]] = {name: [] for name in STAGES}
    for path in PACKAGE.rglob("*.py"):
        stage = stage_of(path)
        if stage is not None:
            code[stage].append(_meaning(path.read_text(encoding="utf-8")))
    return {
        name: hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:16]
        for name, parts in code.items()
    }


def _meaning(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        node.body = [part for part in body if not _is_silent(part)]  # type: ignore[attr-defined]
        if not node.body and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
    return ast.unparse(tree)


def _is_silent(node: ast.AST) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(
        node.value, ast.Constant
    )
    return is_text or isinstance(node, ast.Import | ast.ImportFrom)


def stamps() -> dict[str, dict[str, str]]:
    r"""Returns which code of each stage the golden run has confirmed, and at
    which commit.
    """
    if not STAMPS.exists():
        return {}
    return json.loads(STAMPS.read_text(encoding="utf-8"))


def stamp(stages: Iterable[str]) -> None:
    r"""Marks the present code of stages as confirmed by the golden run."""
    code = code_digests()
    made = {"verified_by": "golden", "commit": commit()}
    entries = stamps() | {name: {"code": code[name], **made} for name in stages}
    lines = ",\n".join(
        f" {json.dumps(name)}: {json.dumps(entries[name])}"
        for name in STAGES
        if name in entries
    )
    write_atomically(STAMPS, f"{{\n{lines}\n}}\n".encode())


def changed_since(provenance: dict[str, Any]) -> str | None:
    r"""Returns the last commit that computed or confirmed a record, if the
    code of one of its stages has changed since, or :obj:`None`.
    """
    now, confirmed = code_digests(), stamps()
    for name, code in provenance["code"].items():
        stage = confirmed.get(name, {})
        if now[name] not in (code, stage.get("code")):
            return stage.get("commit", provenance["commit"])
    return None


def commit() -> str:
    r"""Returns the commit of this checkout, marked if files differ from it."""
    answer = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude=*"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.stdout.strip() or "unknown"


@contextmanager
def traced() -> Iterator[set[str]]:
    r"""Collects the stages whose functions are called in the context."""
    files: set[str] = set()
    stages: set[str] = set()

    def profile(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    sys.setprofile(profile)
    try:
        yield stages
    finally:
        sys.setprofile(None)
        owners = (stage_of(Path(file)) for file in files)
        stages.update(stage for stage in owners if stage is not None)
