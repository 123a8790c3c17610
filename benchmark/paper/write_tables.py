r"""Writes tables made from records into the pages that show them.

A page marks the place of a table by two comments, :obj:`<!-- table NAME -->`
and :obj:`<!-- end -->`. The text between them is replaced.
"""

import re
from pathlib import Path

from benchmark.paper.tables import TABLES, Records

REPO = Path(__file__).resolve().parents[2]
PAGES = ("docs/what_holds.md", "benchmark/paper/TABLES.md")
MARK = re.compile(r"(<!-- table (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str, records: Records) -> str:
    r"""Returns a page with its tables written from records."""

    def table(match: re.Match[str]) -> str:
        made = TABLES[match[2]].make(records).to_markdown()
        # The page already has a heading.
        body = made.split("\n", 2)[2]
        return f"{match[1]}{body}\n{match[3]}"

    return MARK.sub(table, text)


def write_pages(records: Records, check: bool = False) -> list[str]:
    r"""Writes tables into all pages, or only checks them, and returns the
    pages that changed.
    """
    changed = []
    for page in PAGES:
        path = REPO / page
        text = path.read_text(encoding="utf-8")
        made = filled(text, records)
        if made != text:
            changed.append(page)
            if not check:
                path.write_text(made, encoding="utf-8")
    return changed


def check_pages(records: Records) -> list[str]:
    r"""Returns a sentence for each page with other figures than the records,
    and for each table that no page shows.
    """
    texts = [(REPO / page).read_text(encoding="utf-8") for page in PAGES]
    shown = {match[2] for text in texts for match in MARK.finditer(text)}
    return [
        f"{page} differs from the records: run 'python -m benchmark.paper "
        f"tables'"
        for page in write_pages(records, check=True)
    ] + [f"no page shows the table '{n}'" for n in TABLES if n not in shown]
