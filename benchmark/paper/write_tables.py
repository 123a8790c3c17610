r"""Writes tables made from the committed records into pages that show them.

    python benchmark/paper/write_tables.py [--check]

A page marks the place of a table by two comments, :obj:`<!-- table NAME -->`
and :obj:`<!-- end -->`; what stands between them is replaced. With
:obj:`--check`, nothing is written, and a page that differs is an error.
"""

import argparse
import re
import sys
from pathlib import Path

from benchmark.paper import TABLES, Records, Store

REPO = Path(__file__).resolve().parents[2]
RESULTS = REPO / "benchmark/paper/results"
PAGES = ("docs/what_holds.md", "benchmark/paper/TABLES.md")
MARK = re.compile(r"(<!-- table (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str, records: Records) -> str:
    """Returns a page with its tables made anew."""

    def table(match: re.Match[str]) -> str:
        made = TABLES[match[2]][0](records).to_markdown()
        # The page has a heading of its own.
        body = made.split("\n", 2)[2]
        return f"{match[1]}{body}\n{match[3]}"

    return MARK.sub(table, text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    records = Records(Store(RESULTS))
    stale = []
    for page in PAGES:
        path = REPO / page
        text = path.read_text(encoding="utf-8")
        made = filled(text, records)
        if made != text:
            stale.append(page)
            if not args.check:
                path.write_text(made, encoding="utf-8")
    print("changed:" if stale else "nothing to change", *stale)
    if stale and args.check:
        sys.exit(1)


if __name__ == "__main__":
    main()
