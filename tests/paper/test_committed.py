"""The committed records, and the pages made of them."""

import json
from dataclasses import replace

import pytest

from benchmark.paper import write_tables
from benchmark.paper.budget import FULL
from benchmark.paper.grid import Grid
from benchmark.paper.store import Store
from benchmark.paper.tables import TABLES, Records
from benchmark.paper.write_tables import MARK, write_pages
from tests.conftest import REPO

RESULTS = REPO / "benchmark/paper/results"


@pytest.fixture(scope="module")
def store():
    return Store(RESULTS)


@pytest.fixture(scope="module")
def records(store):
    return Records(store)


def test_a_changed_figure_is_written_anew(records, monkeypatch, tmp_path):
    assert write_pages(records, check=True) == []
    for page in write_tables.PAGES:
        path = tmp_path / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((REPO / page).read_text(encoding="utf-8"))
    text = path.read_text(encoding="utf-8")
    wrong = text.replace("0.7841", "0.7842")
    assert wrong != text
    path.write_text(wrong, encoding="utf-8")
    monkeypatch.setattr(write_tables, "REPO", tmp_path)
    assert write_pages(records, check=True) == [page]
    assert path.read_text(encoding="utf-8") == wrong
    assert write_pages(records) == [page]
    assert path.read_text(encoding="utf-8") == text


def test_all_tables_are_shown_under_their_titles(records):
    text = (REPO / "benchmark/paper/TABLES.md").read_text(encoding="utf-8")
    assert [match[1] for match in MARK.findall(text)] == list(TABLES)
    for name, table in TABLES.items():
        assert f"## {table.make(records).title}\n\n`{name}`\n" in text


class Noting:
    """A store that notes which records are read."""

    def __init__(self, store):
        self.store, self.names, self.noted = store, store.names, set()

    def read(self, name):
        self.noted.add(name)
        return self.store.read(name)


@pytest.mark.parametrize("name", sorted(set(TABLES) - {"effort"}))
def test_a_table_reads_what_it_says(store, name):
    noting = Noting(store)
    assert TABLES[name].make(Records(noting)).rows
    assert noting.noted
    assert [n for n in noting.noted if not TABLES[name].reads(n)] == []


def test_every_record_is_of_an_experiment(store):
    # Whoever has its files may add records of it.
    budget = replace(FULL, datasets=(*FULL.datasets, "yago3-10"))
    experiments = Grid(budget).experiments
    assert store.names
    for name in store.names:
        inputs = json.loads(json.dumps(experiments[name].inputs))
        assert store.read(name)["inputs"] == inputs, name


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
    splits = {name: part["splits"] for name, part in presets.items()}
    same = splits["appendix"] in (splits["stated"], splits["inclusive"])
    assert same == (dataset != "fb15k-237")
    setting = f"{dataset}/detection/temporal-like-appendix"
    assert len(records.seeds(setting)) == (0 if same else FULL.seeds)


def test_figures_of_the_audit(records):
    seen = records.one("fb15k-237/frequencies")

    def counts(name):
        kinds = seen[name]
        return [kinds[kind]["count"] for kind in ("emerging", "novel", "id")]

    assert counts("stated") == [448, 6168, 13850]
    assert counts("stated, a self-loop counts once") == [460, 6157, 13849]
    assert counts("appendix") == [1317, 5678, 13471]
    rarer = {
        kind: seen["appendix"][kind]["rarer end"] for kind in ("novel", "id")
    }
    assert rarer["novel"]["mean"] == pytest.approx(35.1, abs=0.05)
    assert rarer["id"]["mean"] == pytest.approx(44.7, abs=0.05)
    assert [ends["median"] for ends in rarer.values()] == [28, 37]


def test_figures_are_drawn(records, tmp_path):
    plots = pytest.importorskip("benchmark.paper.plots")
    drawn = plots.draw_figures(records, tmp_path)
    shown = (REPO / "docs/images").glob("*.svg")
    assert {path.name for path in drawn} <= {path.name for path in shown}
    text = (tmp_path / "two_kinds.svg").read_text(encoding="utf-8")
    name = "fb15k-237/detection/temporal-like-table2"
    for method in ("semantic", "structural", "cagp"):
        for kind in ("emerging", "novel", "overall"):
            area = records.spread(name, "methods", method, kind, "auroc")
            assert f">{area.mean:.2f}<" in text
