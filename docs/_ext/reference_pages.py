r"""Makes the pages of the reference, each time the documentation is built.

A subpackage gets a page with what its :obj:`classes` and :obj:`functions`
list, so that what is added there appears by itself. The command line gets one
from its own parser.
"""

import importlib
import inspect
import pkgutil
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import command_line
from sphinx.application import Sphinx

import pyg_cagp

#: What is documented elsewhere (the command line) or is no module for users.
LEFT_OUT = {"cli", "__main__"}
#: Modules that list nothing: all classes that they define are shown.
PLAIN = {"exceptions", "typing"}
#: The headings of a page.
KINDS = {"classes": "Classes", "functions": "Functions"}


def modules() -> dict[str, ModuleType]:
    r"""Finds the modules that get a page, by their dotted names."""
    found = {}
    for entry in pkgutil.walk_packages(pyg_cagp.__path__, "pyg_cagp."):
        short = entry.name.removeprefix("pyg_cagp.")
        is_private = any(part.startswith("_") for part in short.split("."))
        if is_private or short.split(".")[0] in LEFT_OUT:
            continue
        if entry.ispkg or short in PLAIN:
            module = importlib.import_module(entry.name)
            if any(members(module).values()):
                found[entry.name] = module
    return found


def members(module: ModuleType) -> dict[str, list[str]]:
    r"""Returns the names that a module offers, by kind."""
    short = module.__name__.removeprefix("pyg_cagp.")
    if short in PLAIN:
        names = getattr(module, "__all__", None) or [
            name
            for name, value in vars(module).items()
            if getattr(value, "__module__", None) == module.__name__
        ]
        tests = {"classes": inspect.isclass, "functions": inspect.isfunction}
        return {
            kind: [name for name in names if test(getattr(module, name))]
            for kind, test in tests.items()
        }
    return {kind: list(getattr(module, kind, [])) for kind in KINDS}


def is_listed(cls: type) -> bool:
    r"""Tells whether a class has its own entry on some page."""
    parts = cls.__module__.split(".")
    if parts[0] != "pyg_cagp":
        return False
    for end in range(len(parts), 1, -1):
        module = importlib.import_module(".".join(parts[:end]))
        if cls.__name__ in getattr(module, "classes", []):
            return True
    return parts[-1] in PLAIN


def shown_bases(cls: type) -> list[type]:
    r"""Returns the bases of a class, and for those without an entry theirs."""
    found: list[type] = []
    for base in cls.__bases__:
        is_ours = base.__module__.split(".")[0] == "pyg_cagp"
        if is_ours and not is_listed(base):
            found += shown_bases(base)
        elif base is not object:
            found.append(base)
    return list(dict.fromkeys(found))


def class_options(cls: type) -> list[str]:
    r"""Shows what comes from bases that have no entry of their own."""
    stops = [
        base.__name__
        for base in cls.__mro__[1:]
        if is_listed(base) or base.__module__.split(".")[0] != "pyg_cagp"
    ]
    options = [":members:"]
    if len(stops) < len(cls.__mro__) - 1:
        options.append(f":inherited-members: {', '.join(stops)}")
    if shown_bases(cls):
        options.append(":show-inheritance:")
    return options


def page(module: ModuleType) -> str:
    r"""Writes the page of a module."""
    name = module.__name__
    lines = [name, "=" * len(name), "", f".. automodule:: {name}", ""]
    lines += [f".. currentmodule:: {name}", ""]
    found = {kind: names for kind, names in members(module).items() if names}
    for names in found.values():
        lines += [".. autosummary::", "   :nosignatures:", ""]
        lines += [f"   {member}" for member in names] + [""]
    for kind, names in found.items():
        lines += [KINDS[kind], "-" * len(KINDS[kind]), ""]
        for member in names:
            lines += [*entry(module, kind, member), ""]
    return "\n".join(lines)


def entry(module: ModuleType, kind: str, member: str) -> list[str]:
    r"""Writes the directive of one member."""
    if kind == "functions":
        return [f".. autofunction:: {member}"]
    options = class_options(getattr(module, member))
    return [f".. autoclass:: {member}", *(f"   {line}" for line in options)]


def write(app: Sphinx) -> None:
    r"""Writes all pages; those of what is gone are taken away."""
    folder = Path(app.srcdir) / "reference" / "api"
    made = {
        f"{name.removeprefix('pyg_cagp.')}.rst": page(module)
        for name, module in modules().items()
    }
    made["../command_line.rst"] = command_line.page()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name not in made:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    for name, text in made.items():
        path = folder / name
        # A page that stays as it is need not be read again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def skip(
    app: Sphinx, what: str, name: str, obj: Any, skipped: bool, options: Any
) -> bool | None:
    r"""Leaves out the fields of tuples, which say nothing of themselves."""
    doc = getattr(obj, "__doc__", None) or ""
    return True if doc.startswith("Alias for field number") else None


def name_bases(
    app: Sphinx, name: str, obj: type, options: Any, bases: list[Any]
) -> None:
    r"""Names no base that there is nothing to read about."""
    bases[:] = shown_bases(obj)


def setup(app: Sphinx) -> dict[str, bool]:
    r"""Makes the pages before any page is read."""
    app.connect("builder-inited", write)
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-bases", name_bases)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
