r"""Which code a result was computed with."""

import ast
import functools
import hashlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = "pyg_cagp"

#: Fields that Python 3.11 does not know yet, and that code for it leaves empty.
LATER = ("type_params",)


@functools.cache
def code_version(module: str) -> str:
    r"""Returns a digest of what a module does, with all of this package that it
    imports, directly or not.

    Comments, docstrings and layout do not count, so that writing a better
    explanation does not cost a day of computing, nor does the version of
    Python. A name that is imported from a subpackage counts as imported from
    the module that defines it.

    Args:
        module (str): The full name of the module.

    Example:
        >>> len(code_version("pyg_cagp.metrics.detection"))
        16
    """
    digest = hashlib.sha256()
    for name in sorted(_closure(module)):
        digest.update(f"{name}\n{_meaning(name)}\n".encode())
    return digest.hexdigest()[:16]


def _closure(module: str) -> set[str]:
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return found


@functools.cache
def _tree(module: str) -> ast.Module:
    spec = find_spec(module)
    origin = getattr(spec, "origin", None)
    assert origin is not None, module
    return ast.parse(Path(origin).read_text(encoding="utf-8"))


@functools.cache
def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # A name within a module, not in a package.
        return False


@functools.cache
def _imports(module: str) -> tuple[str, ...]:
    return tuple(sorted(set(_found_imports(module))))


def _found_imports(module: str) -> Iterator[str]:
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            yield from (
                alias.name
                for alias in node.names
                if alias.name.split(".")[0] == ROOT
            )
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module.split(".")[0] != ROOT:
                continue
            for alias in node.names:
                yield _home(node.module, alias.name)


def _home(module: str, name: str) -> str:
    r"""Returns the module that a name of another one comes from."""
    if _is_module(f"{module}.{name}"):
        return f"{module}.{name}"
    for node in _tree(module).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {alias.asname or alias.name for alias in node.names}
            if name in names and node.module.split(".")[0] == ROOT:
                return _home(node.module, name)
    return module


@functools.cache
def _meaning(module: str) -> str:
    tree = ast.parse(ast.unparse(_tree(module)))
    for node in ast.walk(tree):
        if not isinstance(
            node,
            (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef),
        ):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return _dump(tree)


def _dump(node: Any) -> str:
    r"""Returns what :func:`ast.dump` gives in Python 3.11. Later versions have
    fields that are empty here, or leave out lists that are, and would take
    the same code for another.
    """
    if isinstance(node, list):
        return f"[{', '.join(map(_dump, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = []
    for name in node._fields:
        value = getattr(node, name, None)
        is_optional = getattr(type(node), name, ...) is None
        if (value is None and is_optional) or (name in LATER and not value):
            continue
        fields.append(f"{name}={_dump(value)}")
    return f"{type(node).__name__}({', '.join(fields)})"
