r"""The command :obj:`pyg-cagp datasets`."""

import argparse
from typing import Any

from pyg_cagp._utils.table import format_table
from pyg_cagp.cli.common import add_common, print_json


def add_command(commands: Any) -> None:
    r"""Adds the command to the command line."""
    parser = commands.add_parser(
        "datasets",
        help="list the datasets that can be loaded by name",
        description="Lists the datasets that can be loaded by name, their "
        "published sizes, and whether their files are in the data root.",
        epilog="example: pyg-cagp datasets --root data",
    )
    add_common(parser)


def run(args: argparse.Namespace) -> None:
    r"""Lists the datasets."""
    from pyg_cagp.datasets.cache import data_root
    from pyg_cagp.datasets.registry import REGISTRY

    listed: list[dict[str, Any]] = [
        {
            "name": name,
            "folder": entry.folder,
            "entities": entry.entities,
            "relations": entry.relations,
            "train": entry.triples[0],
            "valid": entry.triples[1],
            "test": entry.triples[2],
            "missing": entry.missing(args.root),
            "note": entry.note,
        }
        for name, entry in REGISTRY.items()
    ]
    root = str(data_root(args.root))
    if args.json:
        print_json({"root": root, "datasets": listed})
        return
    *columns, _, _ = listed[0]
    rows: list[tuple] = [(*columns, "files", "description")]
    for item in listed:
        *values, missing, note = item.values()
        state = _state(missing, REGISTRY[item["name"]].files)
        rows.append((*values, state, note))
    print(
        f"data root: {root}\n\n{format_table(rows)}\n\nAlso 'synthetic' "
        f"(generated, offline), and any folder or file of triples."
    )


def _state(missing: list[str], files: tuple[str, ...]) -> str:
    if not missing:
        return "present"
    if len(missing) == len(files):
        return "to download"
    return f"without {', '.join(missing)}"
