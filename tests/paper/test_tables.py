"""Tables made of records that were written by hand."""

import json

import numpy as np
import pytest
from scipy.stats import sem, t

from benchmark.paper import TABLES, Records, Store, Table
from benchmark.paper.store import SCHEMA
from benchmark.paper.tables import Spread
from benchmark.paper.tables.table import show

VALUES = [0.31, 0.36, 0.33, 0.30]


@pytest.fixture
def write(tmp_path):
    store = Store(tmp_path)

    def write(results):
        for name, result in results.items():
            path = store.path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            record = {"schema": SCHEMA, "key": "", "result": result}
            path.write_text(json.dumps(record))
        return Records(store)

    return write


def seeds(name, values, *path):
    """One record for each value, which lies at the end of a path."""
    found = {}
    for seed, value in enumerate(values):
        for key in reversed(path):
            value = {key: value}
        found[f"{name}/{seed}"] = value
    return found


def test_spread_is_the_interval_of_student(write):
    records = write(seeds("x/cell", VALUES, "methods", "mine", "auroc"))
    got = records.spread("x/cell", "methods", "mine", "auroc")
    low, high = t.interval(0.95, 3, np.mean(VALUES), sem(VALUES))
    assert got.mean == pytest.approx(np.mean(VALUES))
    assert got.mean - got.half == pytest.approx(low)
    assert got.mean + got.half == pytest.approx(high)
    assert records.spread("x/cell", "methods", "another", "auroc") is None
    assert records.spread("x/cell", "methods", "mine", "auroc", "no") is None
    assert records.spread("x/other", "methods", "mine", "auroc") is None


def test_seeds_without_a_figure_do_not_count(write):
    records = write(seeds("x/cell", [None, 0.2, None, 0.4], "a"))
    got = records.spread("x/cell", "a")
    # For two values, 12.7062 times their half distance.
    assert (got.mean, got.half) == pytest.approx((0.3, 1.27062), rel=1e-5)
    alone = write(seeds("x/alone", [None, 0.2], "a")).spread("x/alone", "a")
    assert alone == Spread(0.2, seeds=1)
    assert str(alone) == "0.2000 (of 1)"


def test_only_some_graphs_and_seeds(write, tmp_path):
    write(
        {
            **seeds("x/cell", [1.0, 2.0, 6.0], "a"),
            **seeds("y/cell", [5.0], "a"),
            "x/graph": {"n": 3},
        }
    )
    store = Store(tmp_path)
    assert Records(store).spread("x/cell", "a").mean == 3
    assert Records(store, seeds=2).spread("x/cell", "a").mean == 1.5
    some = Records(store, ["y"], 2)
    assert some.names == ["y/cell/0"]
    assert some.spread("x/cell", "a") is None
    assert some.spread("y/cell", "a") == Spread(5.0)
    assert Records(store, ["x"], 1).one("x/graph") == {"n": 3}


def test_seeds_are_in_order_and_of_one_cell(write):
    records = write(
        {
            **{f"x/cell/{seed}": {"seed": seed} for seed in range(12)},
            "x/cell/a/0": {"seed": 90},
            "x/cells/0": {"seed": 91},
            "a/x/cell/0": {"seed": 92},
            "x/graph": {"n": 3},
        }
    )
    assert [r["seed"] for r in records.seeds("x/cell")] == list(range(12))
    assert records.one("x/graph") == {"n": 3}
    assert records.one("y/graph") is None
    assert records.datasets(("y", "x", "a")) == ["x", "a"]


def test_printing():
    assert str(Spread(0.12345)) == "0.1235"
    assert str(Spread(0.12345, 0.0678, 2)) == "0.12 ± 0.07"
    # An interval that is too small to show is one, and none is none.
    assert str(Spread(0.5, 1e-9, 2)) == "0.50 ± 0.00"
    assert str(Spread(0.5, 0.0, 2)) == "0.50"
    assert [show(v) for v in (None, True, False, 1234, 0.5, "x")] == [
        "-",
        "yes",
        "no",
        "1,234",
        "0.5000",
        "x",
    ]
    table = Table(
        "mine",
        "My figures",
        ("method", "AUROC", "number"),
        [("ours", Spread(0.9, 0.01, 3), 12345), ("theirs", None, 1)],
        ("Of two seeds.",),
    )
    assert table.to_markdown(2) == (
        "## My figures\n"
        "\n"
        "| method | AUROC | number |\n"
        "|---|---|---|\n"
        "| ours | 0.900 ± 0.010 | 12,345 |\n"
        "| theirs | - | 1 |\n"
        "\n"
        "Of two seeds."
    )
    assert json.loads(json.dumps(table.to_dict())) == {
        "name": "mine",
        "title": "My figures",
        "columns": ["method", "AUROC", "number"],
        "rows": [
            ["ours", {"mean": 0.9, "half_width": 0.01}, 12345],
            ["theirs", None, 1],
        ],
        "notes": ["Of two seeds."],
    }


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("there", [[], ["wn18rr/x", "nl27k/x/0"]])
def test_tables_without_what_they_are_made_of(write, name, there):
    table = TABLES[name][0](write({key: {} for key in there}))
    assert table.name == name
    assert table.to_markdown().startswith(f"### {table.title}\n")
    for row in table.to_dict()["rows"]:
        assert len(row) == len(table.columns)
        assert not any(isinstance(cell, dict) for cell in row)


def test_effort_adds_up(tmp_path):
    """A model that was trained before counts with the time of its training."""
    store = Store(tmp_path)
    trained = {"seconds": {"training": 7000.0, "posterior": 200.0}}
    for name, seconds, result in (
        ("a/models/m/0", 10.0, trained),
        ("a/models/m/1", 7200.0, trained),
        ("a/rivals/x/0", 1790.0, {}),
        ("b/scores/y/0", 3600.0, {"seconds": {"fit": 9999.0}}),
    ):
        path = store.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        record = {"schema": SCHEMA, "key": "", "result": result}
        path.write_text(json.dumps({**record, "seconds": seconds}))
    assert TABLES["effort"][0](Records(store)).rows == [
        ("a", 3, "4.00", "0.50", "4.50"),
        ("b", 1, "0.00", "1.00", "1.00"),
        ("all", 4, "4.00", "1.50", "5.50"),
    ]


def test_a_folder_that_is_not_there_has_no_records(tmp_path):
    records = Records(Store(tmp_path / "nowhere"))
    assert records.datasets(("wn18rr",)) == []
    assert TABLES["statistics"][0](records).rows == []


def test_figures_stand_beside_those_of_the_paper(write):
    path = "methods", "cagp", "overall", "auroc"
    records = write(
        {
            **seeds("wn18rr/detection/standard-stated", [0.5, 0.7], *path),
            **seeds("fb15k-237/detection/standard-stated", [0.8, 0.8], *path),
            **seeds("synthetic/detection/standard-stated", [0.9], *path),
            # Of another protocol.
            **seeds("icews14/detection/temporal-like-stated", [0.1], *path),
        }
    )
    table = TABLES["table3"][0](records)
    assert table.columns == [
        "method",
        "fb15k-237",
        "paper",
        "wn18rr",
        "paper",
        "synthetic",
    ]
    rows = {row[0]: row[1:] for row in table.to_dict()["rows"]}
    ours, paper, second, second_paper, third = rows["CAGP"]
    assert ours == {"mean": 0.8, "half_width": 0}
    assert (paper, second_paper) == (0.960, 0.871)
    # The two values lie 0.1 from their mean; the factor is 12.7062.
    assert second["mean"] == pytest.approx(0.6)
    assert second["half_width"] == pytest.approx(1.27062, rel=1e-5)
    assert third == {"mean": 0.9, "half_width": None, "seeds": 1}
    assert rows["UKGE"] == [None, 0.992, None, 0.891, None]


def test_a_graph_as_the_paper_has_it(write):
    sizes = {
        "num_nodes": 14541,
        "num_relations": 237,
        "num_train": 272115,
        "num_val": 17535,
        "num_test": 20466,
        "coverage_nnz": 344_622,
        "coverage_bytes": 751_638,
    }
    records = write(
        {
            "fb15k-237/graph": sizes,
            "wn18rr/graph": sizes,
            "synthetic/graph": sizes,
        }
    )
    rows = TABLES["statistics"][0](records).rows
    assert [row[0] for row in rows] == ["fb15k-237", "wn18rr", "synthetic"]
    assert rows[0][1:7] == (14541, 237, 272115, 17535, 20466, 344_622)
    # 14,541 times 237 is 3,446,217.
    assert rows[0][7:9] == ("10.0 %", "0.75")
    assert [row[-1] for row in rows] == [True, False, None]


def test_weeks_are_put_together_by_four(write):
    weeks = [
        {
            "week": week,
            "num_triples": 10 * (week + 1),
            "auroc": {
                "semantic, frozen": 0.1 * week,
                "structural, frozen": 0.2,
                "structural, updated": 0.3,
                "semantic, updated": 0.4,
            },
        }
        for week in range(5)
    ]
    others = json.loads(json.dumps(weeks))
    for week in others:
        week["auroc"]["structural, frozen"] = 0.4
    records = write(
        {
            "icews14/arrival/0": {"weeks": weeks},
            "icews14/arrival/1": {"weeks": others},
        }
    )
    rows = TABLES["arrival"][0](records).rows
    assert rows[0][:3] == ("icews14", "1 to 4", 10 + 20 + 30 + 40)
    means = [figure.mean for figure in rows[0][3:]]
    assert means == pytest.approx([0.15, 0.3, 0.3, 0.4])
    assert rows[1][:3] == ("icews14", "5 to 5", 50)
    means = [figure.mean for figure in rows[1][3:]]
    assert means == pytest.approx([0.4, 0.3, 0.3, 0.4])


def judged(accuracy, first, second, p=0.5, kept=0.6):
    """A record of how two methods rank errors."""
    selective = {"0.85": {"accuracy": kept, "optimum": 1, "answer_rate": 0.8}}
    return {
        "accuracy": accuracy,
        "methods": {
            "mine": {"aurc": first, "selective": selective},
            "max probability": {"aurc": second, "selective": selective},
        },
        "comparisons": [
            {
                "first": "mine",
                "second": "max probability",
                "difference": first - second,
                "p_bootstrap_holm": p,
            }
        ],
    }


def test_errors_are_told_with_a_direction(write):
    records = write(
        {
            "wn18rr/errors/0": judged(0.5, 0.41, 0.40, 0.0092),
            "wn18rr/errors/1": judged(0.5, 0.38, 0.40),
            "wn18rr/errors/2": judged(0.5, 0.42, 0.40),
            "codex-s/errors/0": judged(0.5, 0.3, 0.4, 0.001),
        }
    )
    rows = {row[0]: row[1:] for row in TABLES["errors"][0](records).rows}
    assert rows["mine"][1] == "worse in 2 of 3, p 0.0092"
    assert rows["mine"][3] == "better in 1 of 1, p 0.0010"
    assert rows["max probability"][1] is None


def test_fewer_errors_among_answers(write):
    records = write(
        {
            "wn18rr/errors/0": judged(0.5, 0.4, 0.4, kept=0.6),
            "wn18rr/errors/1": judged(0.6, 0.4, 0.4, kept=0.6),
        }
    )
    rows = {row[0]: row for row in TABLES["selective"][0](records).rows}
    # 40 % wrong in place of 50 %, and as many as before.
    assert rows["mine"][5].mean == pytest.approx((0.2 + 0.0) / 2)
    assert rows["mine"][1] == Spread(0.8, 0.0, 3)


def test_differences_and_their_p_values(write):
    row = {"first": "cagp", "second": "semantic", "difference": 0.25}
    other = {**row, "second": "ukge", "difference": -0.1}
    aside = {**row, "first": "semantic", "second": "cagp"}
    setting = "standard-stated/0"
    records = write(
        {
            f"wn18rr/detection/{setting}": {
                "comparisons": [
                    {**r, "p_bootstrap_holm": 0.0016} for r in (row, aside)
                ]
            },
            f"wn18rr/rivals/{setting}": {
                "comparisons": [{**other, "p_bootstrap_holm": 0.5}]
            },
            # Another seed says nothing here.
            "wn18rr/detection/standard-stated/1": {
                "comparisons": [{**row, "p_bootstrap_holm": 1.0}]
            },
        }
    )
    table = TABLES["significance"][0](records)
    assert table.columns == ["method", "wn18rr, random tails"]
    assert [tuple(row) for row in table.rows] == [
        ("UKGE", "-0.1000, p 0.5000"),
        ("U_sem", "+0.2500, p 0.0016"),
    ]


def test_other_metrics(write):
    found = {"overall": {"aupr": 0.9, "f1": 0.8, "fpr_at_95_tpr": 0.3}}
    name = "icews14/detection/temporal-like-table2"
    records = write(seeds(name, [found, found], "methods", "cagp"))
    table = TABLES["metrics"][0](records)
    assert table.title.endswith("icews14")
    ((title, *figures),) = table.rows
    assert title == "CAGP"
    assert [f and f.mean for f in figures] == [0.9, 0.8, 0.3, None, None, None]


@pytest.mark.parametrize("name", sorted(set(TABLES) - {"verdicts"}))
def test_without_records_a_table_says_so(write, name):
    text = TABLES[name][0](write({})).to_markdown()
    assert text.splitlines()[2] == "There are no records for this table."


def test_graphs_that_are_not_the_papers_come_last(write):
    sizes = ("num_nodes", "num_relations", "num_train", "num_val", "num_test")
    graph = dict.fromkeys((*sizes, "coverage_nnz", "coverage_bytes"), 1)
    names = ("aaa", "wn18rr", "fb15k-237")
    records = write({f"{name}/graph": graph for name in names})
    rows = TABLES["statistics"][0](records).rows
    assert [row[0] for row in rows] == ["fb15k-237", "wn18rr", "aaa"]


def test_architectures_are_shown_of_the_graph_they_were_trained_on(write):
    figures = {"standard, stated": {"cagp": 0.8}, "mrr": 0.2}
    records = write(
        {
            "icews14/architectures/gaussian-transe/0": figures,
            "fb15k-237/graph": {},
        }
    )
    table = TABLES["architectures"][0](records)
    assert table.title.endswith("icews14")
    assert [row[0] for row in table.rows] == ["gaussian-transe"]


@pytest.mark.parametrize("dataset", ["fb15k-237", "wn18rr"])
def test_counts_of_the_paper_are_those_of_its_graph(write, dataset):
    counts = {"test": {"id": 5, "emerging": 1, "novel": 2}}
    name = f"{dataset}/detection/temporal-like-table2/0"
    table = TABLES["table2"][0](write({name: {"counts": counts}}))
    assert "Test triples: 5 id, 1 emerging, 2 novel" in table.notes[-1]
    assert ("paper" in table.notes[-1]) == (dataset == "fb15k-237")
    assert ("paper" in table.columns) == (dataset == "fb15k-237")


def test_the_partition_of_the_appendix_is_shown_of_a_graph_judged_by_it(write):
    found = {"emerging": {"auroc": 0.7}, "overall": {"auroc": 0.9}}
    result = {"methods": {"structural": found}, "counts": {"test": {"id": 5}}}
    name = "synthetic/detection/temporal-like-appendix/0"
    records = write({name: result, "wn18rr/graph": {}})
    table = TABLES["appendix"][0](records)
    assert table.title.endswith("synthetic")
    assert list(table.columns) == ["method", "emerging", "novel", "overall"]
    (row,) = (row for row in table.rows if row[0] == "U_str")
    assert [f and f.mean for f in row[1:]] == [0.7, None, 0.9]


def test_the_appendix_beside_the_paper(write):
    found = {"emerging": {"auroc": 0.96}, "novel": {"auroc": 0.59}}
    counts = {"test": {"id": 13471, "emerging": 1317, "novel": 5678}}
    result = {"methods": {"semantic": found}, "counts": counts}
    name = "fb15k-237/detection/temporal-like-appendix/0"
    table = TABLES["appendix"][0](write({name: result}))
    (row,) = (row for row in table.rows if row[0] == "U_sem")
    assert [f.mean if isinstance(f, Spread) else f for f in row[1:]] == [
        *(0.96, 0.91),
        *(0.59, 0.48),
        *(None, None),
    ]
    same = "13,471 id, 1,317 emerging, 5,678 novel"
    assert table.notes[-1] == f"Test triples: {same} (paper: {same})."


def test_a_table_that_is_empty_says_where_its_figures_are(write):
    table = TABLES["appendix"][0](write({"wn18rr/graph": {}}))
    assert not table.has_figures()
    assert "table `stated` or `inclusive`" in table.to_markdown()
    assert table.to_dict()["notes"] == list(table.if_empty)


def test_how_many_seeds_there_are_is_part_of_the_json():
    table = Table("mine", "Mine", ("a", "b"), [("x", Spread(0.5, None, 4, 1))])
    (row,) = table.to_dict()["rows"]
    assert row[1] == {"mean": 0.5, "half_width": None, "seeds": 1}


def test_a_record_of_no_graph_has_taken_its_time(write):
    table = TABLES["effort"][0](write({"loose": {}}))
    assert [row[:2] for row in table.rows] == [("loose", 1), ("all", 1)]
