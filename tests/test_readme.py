"""The README is short, and its commands exist; `test_docs.py` runs its code."""

import re

from tests.conftest import REPO
from tests.test_docs import TEXTS, run_pages

README = TEXTS["README.md"]


def test_it_is_read_in_two_minutes():
    assert len(README.splitlines()) <= 150


def test_every_make_target_exists():
    makefile = (REPO / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    blocks = "".join(run_pages.fences(README, "bash"))
    named = re.findall(r"^make ([a-z-]+)", blocks, re.MULTILINE)
    assert named
    assert set(named) <= targets
