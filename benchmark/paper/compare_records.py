r"""Compares records of the grid that were computed twice.

    pyg-cagp reproduce --out FOLDER
    python benchmark/paper/compare_records.py FOLDER [--committed FOLDER]
        [--ledger FILE]

Two records are the same if all their figures are, to the last digit that is
kept. Times are left out, as are addresses in memory. What differs is named with
its place, and is an error. Records of the cost of doubt are times and nothing
else, so only their number is told. Committed records were computed with AVX2;
if others were not, that is told where they differ.

Computing all of them again takes hours. With :obj:`--ledger`, records that are
the same are added to a file, each with its key, so that several runs can share
the work; those whose committed record has another key by now are taken out.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def figures(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yields all figures of a result, each with its place."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key != "seconds":
                yield from figures(part, f"{place}/{key}")
    elif isinstance(value, list):
        for row, part in enumerate(value):
            yield from figures(part, f"{place}/{row}")
    else:
        # Text tells NaN from NaN no more than any other figure from itself.
        yield place, ADDRESS.sub("", json.dumps(value))


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Returns the places at which two records differ."""
    found = [
        dict(figures({part: record[part] for part in ("key", "result")}))
        for record in (one, other)
    ]
    places = found[0].keys() | found[1].keys()
    return sorted(p for p in places if found[0].get(p) != found[1].get(p))


def _with(path: Path) -> str:
    """Returns what a record was computed with, if it says so and it matters."""
    used = json.loads(path.read_text()).get("instructions", "AVX2")
    return "" if used == "AVX2" else f", computed with {used}"


def update_ledger(ledger: Path, keys: dict[str, str], same: set[str]) -> int:
    """Adds records that are the same to a file; returns how many it holds."""
    known = json.loads(ledger.read_text()) if ledger.exists() else {}
    known = {
        name: key
        for name, key in keys.items()
        if name in same or known.get(name) == key
    }
    text = json.dumps(known, indent=2, sort_keys=True) + "\n"
    whole = ledger.with_suffix(".new")  # A file of half a day is not lost.
    whole.write_text(text)
    whole.replace(ledger)
    return len(known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--committed", type=Path, default=RESULTS)
    parser.add_argument("--ledger", type=Path)
    args = parser.parse_args()
    found, committed = (
        {path.relative_to(folder): path for path in folder.rglob("*.json")}
        for folder in (args.folder, args.committed)
    )
    if not found:
        sys.exit(f"'{args.folder}' holds no records")
    if args.ledger and not args.ledger.parent.is_dir():
        sys.exit(f"'{args.ledger.parent}' is no folder to keep a ledger in")
    same: set[str] = set()
    timed = 0
    other: dict[Path, list[str]] = {}
    for name, path in sorted(found.items()):
        if name not in committed:
            other[name] = ["not among the committed records"]
        elif "cost" in name.parts:
            timed += 1
        elif places := differences(
            json.loads(path.read_text()),
            json.loads(committed[name].read_text()),
        ):
            other[name] = places
        else:
            same.add(name.as_posix())
    print(
        f"{len(same)} of {len(committed)} records are the same, {len(other)} "
        f"differ, {timed} hold times alone, and "
        f"{len(committed.keys() - found.keys())} are not there"
    )
    if args.ledger:
        keys = {
            name.as_posix(): json.loads(path.read_text())["key"]
            for name, path in committed.items()
        }
        known = update_ledger(args.ledger, keys, same)
        print(f"{known} records of '{args.ledger}' were computed twice")
    for name, places in other.items():
        more = f"(and {len(places) - 1} more){_with(found[name])}"
        print(f"{name}: {places[0]} {more}")
    sys.exit(bool(other))


if __name__ == "__main__":
    main()
