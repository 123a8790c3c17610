"""Code and commands of the documentation run, and its links exist."""

import importlib
import importlib.util
import json
import pkgutil
import re
import shlex
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

import pyg_cagp
from pyg_cagp.cli.main import build_parser
from pyg_cagp.train import Config
from tests.conftest import REPO

DOCS = REPO / "docs"


def script(name: str) -> ModuleType:
    """Loads a script of the folder `docs`."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run_pages = script("run_pages")
PAGES = run_pages.pages()
TEXTS = {
    page.relative_to(REPO).as_posix(): page.read_text(encoding="utf-8")
    for page in PAGES
}
WITH_CODE = [name for name, text in TEXTS.items() if "```python" in text]


def commands(text):
    """The lines of bash blocks that call our command."""
    for block in run_pages.fences(text, "bash"):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["pyg-cagp"]:
                yield words[1:]


@pytest.mark.parametrize("name", WITH_CODE)
def test_code_of_pages_prints_the_shown_output(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYG_CAGP_CACHE", str(tmp_path / "cache"))
    for match, printed in run_pages.run(TEXTS[name], name):
        assert run_pages.same(match["text"] or "", printed), printed


def test_outputs_are_compared_by_words_and_numbers():
    same = run_pages.same
    assert same("AUROC 0.91 of 2,000\n", "AUROC  0.93 of 2000")
    assert not same("AUROC 0.91", "AUROC 0.99 ")
    assert not same("AUROC 0.91", "AUPR 0.91")
    assert not same("AUROC 0.91", "")
    assert not same("1 2", "1")


def test_every_protocol_has_a_tutorial():
    parser = build_parser()
    choices = (
        subparsers(parser)["evaluate"]
        ._option_string_actions["--protocol"]
        .choices
    )
    shown = {
        words[words.index("--protocol") + 1]
        for name, text in TEXTS.items()
        if name.startswith("docs/tutorials/")
        for words in commands(text)
        if "--protocol" in words
    }
    assert set(choices) - {"ranking"} <= shown


def subparsers(parser):
    (action,) = (a for a in parser._actions if a.dest == "command")
    return action.choices


def test_records_of_models_have_the_shipped_configs():
    paths = sorted((REPO / "benchmark/models/results").glob("*-*.json"))
    assert paths
    for path in paths:
        record = json.loads(path.read_text())
        preset = "paper" if path.stem.endswith("-paper") else None
        model = record["config"]["model"]
        config = Config.find(
            record["dataset"], model["name"], recipe=preset
        ).to_dict()
        if path.stem.endswith("-twin"):
            config["model"]["variational"] = False
        # Options that were added later had their defaults.
        recorded = Config.from_dict(record["config"], path.name).to_dict()
        assert recorded == json.loads(json.dumps(config)), path.name


def test_commands_of_pages_parse():
    parser, broken = build_parser(), []
    shown = [(name, w) for name, text in TEXTS.items() for w in commands(text)]
    for name, words in shown:
        try:
            parser.parse_args(words)
        except SystemExit:
            broken.append(f"{name}: pyg-cagp {' '.join(words)}")
    assert len(shown) > 20
    assert not broken, "\n".join(broken)


def test_make_targets_of_pages_exist():
    makefile = (REPO / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    pages = [*TEXTS.values(), (REPO / "CONTRIBUTING.md").read_text()]
    blocks = "".join(b for p in pages for b in run_pages.fences(p, "bash"))
    named = re.findall(r"^make ([a-z-]+)", blocks, re.MULTILINE)
    assert named
    assert set(named) <= targets


def test_links_of_pages_exist():
    broken = []
    for name, text in TEXTS.items():
        prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", prose):
            path = (REPO / name).parent / target.partition("#")[0]
            if not re.match(r"https?://", target) and not path.exists():
                broken.append(f"{name}: {target}")
    assert not broken, "\n".join(broken)


def test_every_page_is_in_a_table_of_contents():
    entries = []
    for name, text in TEXTS.items():
        for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL):
            folder = Path(name).parent.relative_to("docs")
            entries += [
                (folder / line).as_posix()
                for line in block.splitlines()
                if line and not line.startswith(":")
            ]
    pages = {
        page.relative_to(DOCS).with_suffix("").as_posix()
        for page in PAGES
        if page.is_relative_to(DOCS)
    } - {"index"}
    assert set(entries) == pages


def test_the_reference_lists_every_public_package():
    text = TEXTS["docs/reference/index.md"]
    listed = re.findall(r"^   (pyg_cagp\.[\w.]+)$", text, re.MULTILINE)
    entries = pkgutil.walk_packages(pyg_cagp.__path__, "pyg_cagp.")
    packages = [entry.name for entry in entries if entry.ispkg]
    public = {
        name
        for name in packages
        if hasattr(importlib.import_module(name), "__all__")
        and not name.startswith(("pyg_cagp._", "pyg_cagp.cli"))
    }
    assert public - {"pyg_cagp.nn"} <= set(listed)


def test_picture_of_the_arrows_equals_its_table():
    arrows = script("arrows")
    paths = ElementTree.parse(arrows.PATH).iterfind(".//{*}path[@data-from]")
    assert {(path.get("data-from"), path.get("data-to")) for path in paths} == {
        (source, target)
        for target, sources in arrows.ARROWS.items()
        for source in sources
    }
