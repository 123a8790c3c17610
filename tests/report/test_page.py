"""The page holds all that was found, whatever the names, and no links out."""

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from pyg_cagp.report import render_page
from pyg_cagp.report.canvas import INK
from pyg_cagp.report.markup import Mark, table

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Outline(HTMLParser):
    """Checks that every tag is closed, and keeps ids and addresses."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.addresses, self.words = [], [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href"):
                self.addresses.append(value)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture
def page(reported):
    return (reported[0] / "report.html").read_text(encoding="utf-8")


def test_the_page_is_whole_and_needs_nothing(page):
    outline = Outline()
    outline.feed(page)
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))
    inside = {f"#{name}" for name in outline.ids}
    for address in outline.addresses:
        assert address in inside or address.startswith("data:"), address
    # Names of XML's vocabularies are no addresses that anybody visits.
    assert not re.findall(r"url\((?!#)|@import|<script", page)


def test_pictures_take_the_colours_of_the_page(page):
    svgs = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(svgs) >= 6
    for svg in svgs:
        ElementTree.fromstring(svg)
        assert "currentColor" in svg
        assert INK not in svg
        assert re.search(r'role="img" aria-label="\w', svg)
        assert not re.search(r'<svg[^>]* width="\d', svg)
    assert "prefers-color-scheme: dark" in page


def test_figures_on_the_page_are_those_of_the_records(reported, page):
    folder, found = reported
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert f"{found['ranking']['mrr']:.3f} filtered MRR" in text
    for protocol in found["detection"]:
        record = json.loads(
            (folder / f"evaluate-{protocol}.json").read_text(encoding="utf-8")
        )
        for rows in record["metrics"]["methods"].values():
            assert f"{rows['overall']['auroc']:.3f}" in text
    errors = json.loads(
        (folder / "evaluate-error-ranking.json").read_text(encoding="utf-8")
    )
    assert f"{errors['metrics']['accuracy']:.1%} of its first" in text


def test_every_shown_triple_is_a_prediction_once(reported):
    trust = reported[1]["errors"]["trust"]
    for rows in trust.values():
        triples = [(r["head"], r["relation"], r["tail"]) for r in rows]
        assert len(triples) == len(set(triples)) > 0
    most = [row["doubt"] for row in trust["most"]]
    least = [row["doubt"] for row in trust["least"]]
    assert most == sorted(most)
    assert least == sorted(least, reverse=True)
    assert most[-1] <= least[-1]


def test_names_are_text(reported):
    found = json.loads(json.dumps(reported[1]))
    found["errors"]["trust"]["most"][0]["head"] = '<b>"R&D"</b>'
    found["run"]["dataset"] = "folder/<i>mine"
    page = render_page(found)
    assert "&lt;b&gt;&quot;R&amp;D&quot;&lt;/b&gt;" in page
    assert "<i>mine" not in page


def test_what_is_missing_is_said(reported):
    found = json.loads(json.dumps(reported[1]))
    found["detection"], found["errors"] = {}, None
    found["missing"] = {"standard": "there is nothing to corrupt"}
    page = render_page(found)
    assert "Not judged by standard: there is nothing to corrupt." in page
    assert "own mistakes" not in page
    assert page.count("<svg") == 1  # Variances are there without labels.


def test_cells_know_numbers_from_names():
    text = table(("a", "b", "c"), [("x<y", 0.5, Mark("no", "bad"))])
    assert '<td class="name">x&lt;y</td>' in text
    assert '<td class="number">0.500</td>' in text
    assert '<span class="bad">no</span>' in text
