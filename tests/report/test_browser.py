"""The page in a real browser, on a desk and on a phone."""

import json
import re
import shutil
import subprocess
from html import escape, unescape

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
)

#: Shows a page at some width and writes down what became of it.
FRAME = """<!doctype html><meta charset="utf-8">
<iframe id="f" style="width:{width}px;height:3000px;border:0"
 srcdoc="{page}"></iframe><pre id="out"></pre><script>
onload = () => {{
  const d = document.getElementById("f").contentDocument;
  const box = (e) => e.getBoundingClientRect();
  document.getElementById("out").textContent = JSON.stringify({{
    title: d.title,
    overflow: d.documentElement.scrollWidth - {width},
    ground: getComputedStyle(d.body).backgroundColor,
    svgs: [...d.querySelectorAll("svg")].map(
      (s) => [box(s).width, box(s).height]),
    labels: [...d.querySelectorAll("svg")].map(
      (s) => [...s.querySelectorAll("text")].filter(
        (t) => box(t).left < box(s).left - 4
          || box(t).right > box(s).right + 4).length),
  }});
}};
</script>"""


def visit(path, tmp_path, *flags):
    return subprocess.run(
        [
            CHROMIUM,
            *FLAGS,
            f"--user-data-dir={tmp_path / 'profile'}",
            *flags,
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


def complaints(done):
    return re.findall(r"CONSOLE.*", done.stderr)


def measure(page, tmp_path, width, *flags):
    path = tmp_path / "frame.html"
    text = FRAME.format(width=width, page=escape(page, quote=True))
    path.write_text(text, encoding="utf-8")
    done = visit(path, tmp_path, "--dump-dom", *flags)
    assert not complaints(done)
    (found,) = re.findall(r'<pre id="out">(.*?)</pre>', done.stdout)
    return json.loads(unescape(found))


def test_complaints_would_be_seen(tmp_path):
    path = tmp_path / "bad.html"
    path.write_text("<script>console.error('no'); missing()</script>")
    assert len(complaints(visit(path, tmp_path, "--dump-dom"))) == 2


def test_the_page_loads_without_complaints(reported, tmp_path):
    shot = tmp_path / "page.png"
    page = reported[0] / "report.html"
    done = visit(page, tmp_path, f"--screenshot={shot}")
    assert not complaints(done)
    assert shot.stat().st_size > 20_000


@pytest.mark.parametrize("width", [390, 1200])
def test_pictures_fit_on_any_screen(reported, tmp_path, width):
    page = (reported[0] / "report.html").read_text(encoding="utf-8")
    found = measure(page, tmp_path, width)
    assert found["title"].startswith("How far to trust")
    assert found["overflow"] <= 0
    assert len(found["svgs"]) == page.count("<svg")
    for across, down in found["svgs"]:
        assert 200 < across < width
        assert down > 200
    # No label hangs out of its picture.
    assert sum(found["labels"]) == 0


def test_the_page_is_dark_where_people_want_it(reported, tmp_path):
    page = (reported[0] / "report.html").read_text(encoding="utf-8")
    light = measure(page, tmp_path, 800)["ground"]
    # Chromium's own way to ask for dark pages.
    dark = measure(
        page, tmp_path, 800, "--blink-settings=preferredColorScheme=0"
    )["ground"]
    assert light == "rgb(255, 255, 255)"
    assert dark != light
