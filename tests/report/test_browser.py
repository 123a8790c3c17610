"""The page in a real browser, at the width of a desk and of a phone."""

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

#: Shows a page at a given width and writes down its measures.
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


def errors_of(done):
    return re.findall(r"CONSOLE.*", done.stderr)


def measure(page, tmp_path, width, *flags):
    path = tmp_path / "frame.html"
    text = FRAME.format(width=width, page=escape(page, quote=True))
    path.write_text(text, encoding="utf-8")
    done = visit(path, tmp_path, "--dump-dom", *flags)
    assert not errors_of(done)
    (measures,) = re.findall(r'<pre id="out">(.*?)</pre>', done.stdout)
    return json.loads(unescape(measures))


def test_errors_are_noticed(tmp_path):
    path = tmp_path / "bad.html"
    path.write_text("<script>console.error('no'); missing()</script>")
    assert len(errors_of(visit(path, tmp_path, "--dump-dom"))) == 2


def test_the_page_loads_without_errors(reported, tmp_path):
    shot = tmp_path / "page.png"
    page = reported[0] / "report.html"
    done = visit(page, tmp_path, f"--screenshot={shot}")
    assert not errors_of(done)
    assert shot.stat().st_size > 20_000


@pytest.mark.parametrize("width", [390, 1200])
def test_pictures_share_a_size_that_fits_on_any_screen(page, tmp_path, width):
    page = page.replace("<details>", "<details open>")
    measures = measure(page, tmp_path, width)
    assert measures["title"].startswith("How far to trust")
    assert measures["overflow"] <= 0
    assert len(measures["svgs"]) == page.count("<svg")
    ((across, down),) = {(round(w), round(h)) for w, h in measures["svgs"]}
    assert 200 < across < width
    assert down > 200
    # No label leaves its picture.
    assert sum(measures["labels"]) == 0


def test_the_page_is_dark_for_those_who_prefer_it(page, tmp_path):
    light = measure(page, tmp_path, 800)["ground"]
    # Chromium's own switch for dark pages.
    dark = measure(
        page, tmp_path, 800, "--blink-settings=preferredColorScheme=0"
    )["ground"]
    assert light == "rgb(255, 255, 255)"
    assert dark != light
