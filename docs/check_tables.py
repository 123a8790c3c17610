r"""Compares the tables of models and of speed in the pages with the records.

python docs/check_tables.py
"""

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "benchmark" / "models"))

import table  # noqa: E402


def main() -> int:
    r"""Prints the pages whose tables differ, and returns their number."""
    pages = {
        "howto/training.md": (table.models(), table.posteriors()),
        "reference/speed.md": (table.speed(),),
    }
    stale = 0
    for name, tables in pages.items():
        text = (DOCS / name).read_text(encoding="utf-8")
        if any(part not in text for part in tables):
            stale += 1
            print(f"docs/{name} differs from benchmark/models/table.py")
    return stale


if __name__ == "__main__":
    sys.exit(main())
