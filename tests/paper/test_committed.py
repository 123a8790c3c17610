"""The committed records, and the pages made of them."""

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace
from itertools import dropwhile

import pytest
from benchmark.paper.cell import cell_keys

from benchmark.paper import FULL, TABLES, Grid, Records, Store, Workshop
from pyg_cagp.exceptions import DownloadError
from tests.conftest import DATA_ROOT, REPO

RESULTS = REPO / "benchmark/paper/results"


@pytest.fixture(scope="module")
def pages():
    path = REPO / "benchmark/paper/write_tables.py"
    spec = importlib.util.spec_from_file_location("write_tables", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def records():
    return Records(Store(RESULTS))


def test_every_page_says_what_the_records_say(pages, records):
    for page in pages.PAGES:
        text = (REPO / page).read_text(encoding="utf-8")
        assert pages.MARK.search(text), page
        assert pages.filled(text, records) == text, page


def test_a_changed_figure_shows(pages, records):
    page = (REPO / "docs/what_holds.md").read_text(encoding="utf-8")
    wrong = page.replace("0.7841", "0.7842")
    assert wrong != page
    assert pages.filled(wrong, records) == page


def test_all_tables_are_shown(pages):
    text = (REPO / "benchmark/paper/TABLES.md").read_text(encoding="utf-8")
    assert [match[1] for match in pages.MARK.findall(text)] == list(TABLES)


@pytest.mark.parametrize(
    "name", sorted(set(TABLES) - {"verdicts", "significance", "summary"})
)
def test_no_row_is_empty(records, name):
    table = TABLES[name][0](records)
    for row in table.rows:
        # What the paper says is no figure of ours.
        ours = [
            cell
            for column, cell in zip(table.columns, row, strict=True)
            if "paper" not in column
        ]
        figures = dropwhile(lambda cell: isinstance(cell, str), ours)
        assert any(figure is not None for figure in figures), row


class Asked(Records):
    """Remembers which cells a table looked for."""

    def __init__(self, store):
        super().__init__(store)
        self.asked = set()

    def one(self, name):
        self.asked.add(name)
        return super().one(name)

    def seeds(self, name):
        self.asked.add(f"{name}/0")
        return super().seeds(name)


@pytest.mark.parametrize("name", list(TABLES))
def test_a_table_asks_for_what_is_computed_for_it(name):
    make, parts = TABLES[name]
    records = Asked(Store(RESULTS))
    make(records)
    cells = Grid(FULL).cells
    for cell in records.asked & set(cells):
        assert any(part in f"{cell}/" for part in parts), cell


def test_headings_are_those_of_the_tables(records):
    text = (REPO / "benchmark/paper/TABLES.md").read_text(encoding="utf-8")
    for name, (make, _) in TABLES.items():
        heading = f"## {make(records).title}\n\n`pyg-cagp reproduce {name}`\n"
        assert heading in text, name


def test_every_record_is_of_a_cell_and_small():
    # Who has its files may add records of it.
    everything = replace(FULL, datasets=(*FULL.datasets, "yago3-10"))
    cells = Grid(everything).cells
    names = Store(RESULTS).names()
    assert names
    for name in names:
        assert name in cells, name
        path = Store(RESULTS).path(name)
        record = json.loads(path.read_text())
        assert record["cell"] == name
        # Before they said so, they were found to be of AVX2 as well.
        assert record.get("instructions", "AVX2") == "AVX2"
        assert record["inputs"] == json.loads(json.dumps(cells[name].inputs))
        assert path.stat().st_size < 100_000


def test_the_papers_table_2(records):
    graph = records.one("fb15k-237/graph")
    test = graph["presets"]["table2"]["splits"]["test"]
    assert (test["emerging"], test["novel"], test["id"]) == (2223, 5193, 13050)
    area = test["u_str_auroc"]
    rounded = [round(area[k], 3) for k in ("emerging", "novel", "overall")]
    assert rounded == [0.784, 1.0, 0.935]
    assert graph["by_construction"]["table2"]["oracle"] == 1.0


@pytest.mark.parametrize("dataset", FULL.datasets)
def test_where_the_partition_of_the_appendix_is_another(records, dataset):
    presets = records.one(f"{dataset}/graph")["presets"]
    splits = {name: found["splits"] for name, found in presets.items()}
    same = splits["appendix"] in (splits["stated"], splits["inclusive"])
    assert same == (dataset != "fb15k-237")
    setting = f"{dataset}/detection/temporal-like-appendix"
    assert len(records.seeds(setting)) == (0 if same else FULL.seeds)


def test_a_claim_and_its_table_are_of_one_partition():
    """Of WN18RR, whose partition is not that of FB15k-237."""
    words = Records(Store(RESULTS), ["wn18rr"])
    rows = {row[0]: row for row in TABLES["a3"][0](words).rows}
    told = [row for row in TABLES["verdicts"][0](words).rows if "A3" in row[0]]
    shares = [f"{100 * part:.1f} %" for part in rows["10"][1:3]]
    assert [row.ours for row in told[:2]] == shares


@pytest.mark.data
@pytest.mark.parametrize("dataset", [*FULL.datasets, "nl27k"])
def test_records_are_of_this_code_and_data(dataset):
    """A key is made of inputs, config, code and data."""
    cells = list(Grid(FULL).cells.values())
    workshop = Workshop("nowhere", str(DATA_ROOT))
    try:
        digest = workshop.digest(dataset)
    except DownloadError as error:
        pytest.skip(str(error))
    keys = cell_keys(cells, {dataset: digest})
    assert keys
    stale = [
        name
        for name, key in keys.items()
        if (Store(RESULTS).read(name) or {}).get("key") != key
    ]
    assert stale == []


def test_figures_of_the_audit(records):
    seen = records.one("fb15k-237/frequencies")

    def counts(name):
        found = seen[name]
        return [found[kind]["count"] for kind in ("emerging", "novel", "id")]

    assert counts("stated") == [448, 6168, 13850]
    assert counts("stated, a self-loop counts once") == [460, 6157, 13849]
    assert counts("appendix") == [1317, 5678, 13471]
    rarer = {
        kind: seen["appendix"][kind]["rarer end"] for kind in ("novel", "id")
    }
    assert rarer["novel"]["mean"] == pytest.approx(35.1, abs=0.05)
    assert rarer["id"]["mean"] == pytest.approx(44.7, abs=0.05)
    assert [found["median"] for found in rarer.values()] == [28, 37]


def test_plots_are_those_of_the_records(tmp_path):
    version = pytest.importorskip("matplotlib").__version__
    script = REPO / "benchmark/paper/plots.py"
    command = [sys.executable, str(script), "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    drawn = sorted(tmp_path.glob("*.svg"))
    assert drawn
    for path in drawn:
        committed = REPO / "docs/images" / path.name
        if f"Matplotlib v{version}" not in committed.read_text():
            pytest.skip(f"Matplotlib {version} draws other bytes")
        assert path.read_bytes() == committed.read_bytes(), path.name
