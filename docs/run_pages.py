r"""Runs the Python blocks of the README and of the pages, and writes their
output into the pages.

    python docs/run_pages.py [--write] [PAGE ...]

A block of :obj:`text` right after a block of :obj:`python` holds its output.
Without :obj:`--write`, the names of pages with another output are printed.
Figures that depend on training may differ a little between machines; see
:func:`same`.
"""

import argparse
import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parent
REPO = DOCS.parent
#: Folders that the build writes.
GENERATED = ("_build", "reference/api")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OUTPUT = re.compile(
    r"(?P<code>^```python\n(?P<body>.*?)^```\n)"
    r"(?P<shown>\n```text\n(?P<text>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e-?\d+)?")


def pages() -> list[Path]:
    r"""Returns the README and all pages that are written by hand."""
    written = (
        path
        for path in DOCS.rglob("*.md")
        if not str(path.relative_to(DOCS)).startswith(GENERATED)
    )
    return [REPO / "README.md", *sorted(written)]


def fences(text: str, kind: str) -> list[str]:
    r"""Returns the blocks of one kind."""
    return [body for name, body in FENCE.findall(text) if name == kind]


def run(text: str, name: str) -> Iterator[tuple[re.Match[str], str]]:
    r"""Runs the blocks of a page in order, in one namespace, and yields each
    with its output.
    """
    names = {"__name__": "page"}
    for match in OUTPUT.finditer(text):
        # Lines are counted as in the page, for tracebacks.
        before = text[: match.start("body")].count("\n")
        code = compile("\n" * before + match["body"], name, "exec")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, names)
        yield match, out.getvalue()


def same(shown: str, printed: str) -> bool:
    r"""Returns whether two outputs have the same words, and numbers that agree
    to 0.03, or to a tenth if they are above 1.
    """
    words = [
        " ".join(NUMBER.sub("#", text).split()) for text in (shown, printed)
    ]
    if words[0] != words[1]:
        return False
    pairs = zip(*(NUMBER.findall(t) for t in (shown, printed)), strict=True)
    for one, other in pairs:
        a, b = (float(number.replace(",", "")) for number in (one, other))
        if abs(a - b) > (0.03 if abs(a) <= 1 else 0.1 * abs(a)):
            return False
    return True


def filled(text: str, name: str) -> str:
    r"""Returns a page with the current output of its blocks."""
    parts, end = [], 0
    for match, printed in run(text, name):
        parts += [text[end : match.start()], match["code"]]
        if printed:
            parts.append(f"\n```text\n{printed.rstrip()}\n```\n")
        end = match.end()
    return "".join([*parts, text[end:]])


def main() -> int:
    r"""Runs pages and returns the number of those that differ."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    sys.path.insert(0, str(REPO))
    chosen = [path.resolve() for path in args.pages] or pages()
    stale = 0
    # Outputs must not depend on local data.
    os.environ.pop("PYG_CAGP_DATA", None)
    for path in chosen:
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            os.environ["PYG_CAGP_CACHE"] = folder
            os.chdir(folder)
            page = filled(text, str(path))
            os.chdir(DOCS)
        if page != text:
            stale += 1
            print(path.relative_to(REPO))
            if args.write:
                path.write_text(page, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(min(main(), 1))
