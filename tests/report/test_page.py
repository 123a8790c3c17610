"""The page holds all that was found, whatever the names, and no links out."""

import json
import re
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from pyg_cagp.report import render_page
from pyg_cagp.report.canvas import INK
from pyg_cagp.report.markup import Mark, table
from pyg_cagp.report.pictures import TITLES

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


def tables(page):
    """The cells of all tables, as text."""
    found = []
    for part in re.findall(r"<table>.*?</table>", page, re.DOTALL):
        rows = re.findall(r"<tr>(.*?)</tr>", part)
        found.append(
            [
                [
                    unescape(re.sub(r"<[^>]+>", "", cell))
                    for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)
                ]
                for row in rows
            ]
        )
    return found


def metrics_of(folder, protocol):
    path = folder / f"evaluate-{protocol}.json"
    return json.loads(path.read_text(encoding="utf-8"))["metrics"]


def test_figures_on_the_page_are_those_of_the_records(reported, page):
    folder, found = reported
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert f"{found['ranking']['mrr']:.3f} filtered MRR" in text
    areas, errors = tables(page)[:2]
    expected = [
        ["AUROC (OOD triples)", *found["detection"]["standard"]["methods"]]
    ]
    for protocol in found["detection"]:
        methods = metrics_of(folder, protocol)["methods"]
        kinds = [k for k in next(iter(methods.values())) if k != "calibration"]
        for kind in kinds:
            number = next(iter(methods.values()))[kind]["num_ood"]
            name = TITLES[protocol] if kind == "overall" else f"… {kind}"
            expected.append(
                [
                    f"{name} ({number:,})",
                    *(f"{m[kind]['auroc']:.3f}" for m in methods.values()),
                ]
            )
    assert areas == expected
    errors_of = metrics_of(folder, "error-ranking")
    assert f"{errors_of['accuracy']:.1%} of its first" in text
    for row, (name, part) in zip(
        errors[1:], errors_of["methods"].items(), strict=True
    ):
        chosen = part["selective"]["0.85"]
        numbers = [part["aurc"], part["auroc"]]
        numbers += [chosen[k] for k in ("answer_rate", "accuracy", "optimum")]
        assert row == [name, *(f"{number:.3f}" for number in numbers)]


def test_every_shown_triple_is_a_prediction_once(reported):
    trust = reported[1]["errors"]["trust"]
    for rows in trust.values():
        triples = [(r["head"], r["relation"], r["tail"]) for r in rows]
        assert len(triples) == len(set(triples)) > 0
    most = [row["p_wrong"] for row in trust["most"]]
    least = [row["p_wrong"] for row in trust["least"]]
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
    assert "Not evaluated by standard: there is nothing to corrupt." in page
    assert "the model's errors" not in page
    assert page.count("<svg") == 1  # Variances are there without labels.


def test_cells_know_numbers_from_names():
    text = table(("a", "b", "c"), [("x<y", 0.5, Mark("no", "bad"))])
    assert '<td class="name">x&lt;y</td>' in text
    assert '<td class="number">0.500</td>' in text
    assert '<span class="bad">no</span>' in text
