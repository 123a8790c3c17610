r"""The figures that tables and claims name in YAML.

A reference is a record of a graph and the keys that lead to a figure in it,
as in :obj:`detection/standard-stated > methods > cagp > overall > auroc`. A
reference that begins with :obj:`paper >` leads to a figure of the paper.
"""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from string import Template
from typing import Any

import yaml

from benchmark.paper.tables import measures
from benchmark.paper.tables.records import (
    Records,
    home,
    split_seed,
    twin,
    walk,
)

FOLDER = Path(__file__).parent
SEPARATOR = " > "

Names = Mapping[str, Any]


def read(name: str) -> Any:
    r"""Reads a YAML file of this folder."""
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


#: The figures of the paper by table and graph.
PAPER: dict[str, Any] = read("paper.yaml")


def fill(value: Any, names: Names) -> Any:
    r"""Returns a specification with its :obj:`$names` replaced."""
    if isinstance(value, dict):
        return {key: fill(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [fill(part, names) for part in value]
    if not isinstance(value, str):
        return value
    if value.startswith("$") and value[1:] in names:
        return names[value[1:]]
    return Template(value).substitute(names)


def figure(records: Records, spec: Any, dataset: str) -> Any:
    r"""Returns a figure, or :obj:`None` where a record lacks it.

    A specification is a reference, a number, or a dictionary with
    :obj:`figure` (a reference) or :obj:`figures` (several); :obj:`call` (the
    function in :obj:`measures` that makes one of them) or :obj:`text` (a
    format); :obj:`digits`; :obj:`times` (a factor); :obj:`seeds`
    (:obj:`first`, or :obj:`each`).
    """
    if not isinstance(spec, str | dict):
        return spec
    if isinstance(spec, str):
        spec = {"figure": spec}
    value: Any
    if "figures" in spec:
        value = _combined(records, spec, dataset)
    elif "call" in spec:
        value = _called(records, spec, dataset)
    else:
        value = _look_up(records, spec, dataset)
    if value is not None and "times" in spec:
        value = value * spec["times"]
    if value is not None and "text" in spec:
        values = value if isinstance(value, list) else [value]
        return spec["text"].format(*values)
    return value


def does_read(spec: Any, record: str) -> bool:
    r"""Returns whether a specification refers to a record."""
    name, _ = split_seed(record)
    dataset = name.partition("/")[0]
    return any(
        fnmatchcase(name, f"{dataset}/{reference}")
        for reference in references(spec)
    )


def references(spec: Any) -> Iterator[str]:
    r"""Yields the records that a specification refers to."""
    if isinstance(spec, dict):
        if "call" in spec and "name" in spec:
            yield from _homes(spec["name"], spec.get("method", "*"))
        for part in spec.values():
            yield from references(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from references(part)
    elif isinstance(spec, str) and SEPARATOR in spec:
        name, *path = spec.split(SEPARATOR)
        if name != "paper":
            yield from _homes(name, path[1] if path[0] == "methods" else "")


def _homes(name: str, method: str) -> Iterator[str]:
    if method == "*":
        yield name
        yield twin(name)
    else:
        yield home(name, method)


def _look_up(records: Records, spec: dict[str, Any], dataset: str) -> Any:
    name, *path = spec["figure"].split(SEPARATOR)
    if name == "paper":
        return walk(PAPER, path)
    name = f"{dataset}/{name}"
    alone = records.one(name)
    if alone is not None:
        return walk(alone, path)
    digits = spec.get("digits", 4)
    if "seeds" not in spec:
        return records.spread(name, *path, digits=digits)
    values = records.values(name, *path)
    if spec["seeds"] == "first":
        return values[0] if values else None
    return ", ".join(f"{value:.{digits}f}" for value in values) or None


def _combined(records: Records, spec: dict[str, Any], dataset: str) -> Any:
    shared = {k: spec[k] for k in ("digits", "seeds") if k in spec}
    values = []
    for part in spec["figures"]:
        if isinstance(part, str):
            part = {"figure": part, **shared}
        values.append(figure(records, part, dataset))
    if None in values:
        return None
    if "call" in spec:
        return getattr(measures, spec["call"])(*values)
    return values


def _called(records: Records, spec: dict[str, Any], dataset: str) -> Any:
    arguments = {
        name: figure(records, value, dataset)
        if isinstance(value, str) and SEPARATOR in value
        else value
        for name, value in spec.items()
        if name not in ("call", "name", "times")
    }
    name = f"{dataset}/{spec['name']}"
    return getattr(measures, spec["call"])(records, name, **arguments)
