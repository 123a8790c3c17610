"""The page shows the numbers of the record, escapes names and has no links."""

import json
import re
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from pyg_cagp.exceptions import InvalidInputError
from pyg_cagp.protocols import PROTOCOLS
from pyg_cagp.report import canvas, render_page
from pyg_cagp.report.summary import summarize

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Outline(HTMLParser):
    """Checks that every tag is closed, and collects ids and addresses."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.addresses, self.tags = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
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


def test_the_page_is_well_formed_and_needs_no_other_file(page):
    outline = Outline()
    outline.feed(page)
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))
    inside = {f"#{name}" for name in outline.ids}
    for address in outline.addresses:
        assert address in inside or address.startswith("data:"), address
    # XML namespaces are no addresses that a browser opens.
    assert not re.findall(r"url\((?!#)|@import|<script", page)


def test_sentences_precede_pictures_precede_folding_sections(page, record):
    outline = Outline()
    outline.feed(page)
    tags = outline.tags
    assert tags.count("details") == tags.count("summary") >= 6
    assert tags.index("p") < tags.index("svg") < tags.index("details")
    last_svg = len(tags) - 1 - tags[::-1].index("svg")
    assert last_svg < tags.index("details")
    paragraphs = re.findall(r"<p>(.*?)</p>", page, re.DOTALL)[:3]
    assert [unescape(text) for text in paragraphs] == [*summarize(record)]
    # The assumptions are the last section.
    last = page[page.rindex("<details") :]
    assert re.findall(r">(A\d)</td>", last) == [f"A{n}" for n in range(1, 7)]


def test_pictures_share_a_size_and_take_the_colours_of_the_page(page):
    svgs = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(svgs) >= 6
    for svg in svgs:
        ElementTree.fromstring(svg)
        assert "currentColor" in svg
        assert canvas.INK not in svg
        assert re.search(r'role="img" aria-label="\w', svg)
        assert not re.search(r'<svg[^>]* width="\d', svg)
    assert len(set(re.findall(r'<svg[^>]* viewBox="(.*?)"', page))) == 1


def tables(page):
    """The cells of all tables, as text."""
    return [
        [
            [
                unescape(re.sub(r"<[^>]+>", "", cell))
                for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)
            ]
            for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
        ]
        for table in re.findall(r"<table>.*?</table>", page, re.DOTALL)
    ]


def metrics_of(folder, protocol):
    path = folder / f"evaluate-{protocol}.json"
    return json.loads(path.read_text(encoding="utf-8"))["metrics"]


def test_numbers_on_the_page_are_those_of_the_records(reported, page):
    folder, record = reported
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert f"MRR {record['ranking']['mrr']:.3f}" in text
    areas, _, errors = tables(page)[:3]
    expected = []
    for protocol in record["detection"]:
        methods = metrics_of(folder, protocol)["methods"]
        for kind, first in next(iter(methods.values())).items():
            if kind == "calibration":
                continue
            title = PROTOCOLS[protocol].title
            name = title if kind == "overall" else f"… {kind}"
            values = [f"{m[kind]['auroc']:.3f}" for m in methods.values()]
            expected.append([f"{name} ({first['num_ood']:,})", *values])
    assert areas[1:] == expected
    errors_of = metrics_of(folder, "error-ranking")
    assert f"{errors_of['accuracy']:.1%} of its first" in text
    for row, (name, part) in zip(
        errors[1:], errors_of["methods"].items(), strict=True
    ):
        selected = part["selective"]["0.85"]
        numbers = [part["aurc"], part["auroc"]]
        numbers += [selected[k] for k in ("answer_rate", "accuracy", "optimum")]
        assert row == [name, *(f"{number:.3f}" for number in numbers)]


def test_every_answer_is_shown_once_and_in_order(record):
    trust = record["errors"]["trust"]
    for rows in trust.values():
        triples = [(r["head"], r["relation"], r["tail"]) for r in rows]
        assert len(triples) == len(set(triples)) > 0
    most = [row["p_wrong"] for row in trust["most"]]
    least = [row["p_wrong"] for row in trust["least"]]
    assert most == sorted(most)
    assert least == sorted(least, reverse=True)
    assert most[-1] <= least[-1]


def test_hostile_names_are_escaped(record):
    hostile = "<script>alert('R&D')</script>"
    record["errors"]["trust"]["most"][0] |= {"head": hostile, "tail": hostile}
    record["run"]["dataset"] = "folder/<i>mine"
    record["missing"] = {"standard": hostile}
    page = render_page(record)
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(&#39;R&amp;D&#39;)&lt;") == 3
    assert "<i>mine" not in page


def test_missing_evaluations_are_named(record):
    record["detection"], record["errors"] = {}, None
    record["missing"] = {"standard": "there is nothing to corrupt"}
    page = render_page(record)
    assert ["standard", "there is nothing to corrupt"] in tables(page)[0]
    # Variances need no labels.
    assert page.count("<svg") == 1


@pytest.mark.parametrize("package", ["JINJA2", "MATPLOTLIB"])
def test_a_missing_package_names_the_extra(record, monkeypatch, package):
    monkeypatch.setattr(canvas, f"WITH_{package}", False)
    with pytest.raises(InvalidInputError, match=package.lower()) as error:
        render_page(record)
    assert "pip install 'pyg_cagp[plot]'" in str(error.value)
