"""Tables of records that are written by hand."""

import json

import numpy as np
import pytest
from scipy.stats import sem, t

from benchmark.paper.tables import TABLES, Records, Spread, Table
from benchmark.paper.tables.table import show
from tests.loops import for_each
from tests.paper.records import MemoryStore, make_records, seeds

VALUES = [0.31, 0.36, 0.33, 0.30]


def test_spread_equals_the_student_interval():
    records = make_records(seeds("x/kind", VALUES, "methods", "cagp", "auroc"))
    got = records.spread("x/kind", "methods", "cagp", "auroc")
    low, high = t.interval(0.95, 3, np.mean(VALUES), sem(VALUES))
    assert got.mean == pytest.approx(np.mean(VALUES))
    assert got.mean - got.half == pytest.approx(low)
    assert got.mean + got.half == pytest.approx(high)
    assert records.spread("x/kind", "methods", "another", "auroc") is None
    assert records.spread("x/kind", "methods", "cagp", "auroc", "no") is None
    assert records.spread("x/other", "methods", "cagp", "auroc") is None


def test_seeds_without_a_figure_do_not_count():
    got = make_records(seeds("x/kind", [None, 0.2, None, 0.4], "a")).spread(
        "x/kind", "a"
    )
    # For two values, 12.7062 times their half distance.
    assert (got.mean, got.half) == pytest.approx((0.3, 1.27062), rel=1e-5)
    alone = make_records(seeds("x/kind", [None, 0.2], "a")).spread(
        "x/kind", "a"
    )
    assert alone == Spread(0.2, seeds=1)
    assert str(alone) == "0.2000 (of 1)"


def test_records_of_some_graphs_and_seeds():
    results = {
        **seeds("x/kind", [1.0, 2.0, 6.0], "a"),
        **seeds("y/kind", [5.0], "a"),
        "x/graph": {"n": 3},
    }
    assert make_records(results).spread("x/kind", "a").mean == 3
    assert make_records(results, seeds=2).spread("x/kind", "a").mean == 1.5
    some = make_records(results, ["y"], 2)
    assert some.names == ["y/kind/0"]
    assert some.one("x/graph") is None
    assert some.spread("y/kind", "a") == Spread(5.0)


def test_seeds_are_sorted_and_of_one_experiment():
    records = make_records(
        {
            **{f"x/kind/m/{seed}": {"seed": seed} for seed in range(12)},
            "x/kind/m/a/0": {"seed": 90},
            "x/kinds/m/0": {"seed": 91},
            "wn18rr/graph": {"n": 3},
        }
    )
    for name in ("x/kind/m", "x/kind/*"):
        assert [r["seed"] for r in records.seeds(name)] == list(range(12))
    assert records.datasets() == ["wn18rr", "x"]


def test_baselines_have_their_own_records():
    records = make_records(
        {
            "x/detection/a/0": {"methods": {"cagp": {"auroc": 0.9}}},
            "x/baselines/a/0": {
                "methods": {"ukge": {"auroc": 0.6}, "cagp": {"auroc": 0.1}}
            },
        }
    )
    assert [
        records.spread("x/detection/a", "methods", method, "auroc").mean
        for method in ("cagp", "ukge")
    ] == [0.9, 0.6]


def test_formats_of_figures_and_tables():
    assert str(Spread(0.12345)) == "0.1235"
    assert str(Spread(0.12345, 0.0678, 2)) == "0.12 ± 0.07"
    # A small interval is shown; an interval of 0 is not.
    assert str(Spread(0.5, 1e-9, 2)) == "0.50 ± 0.00"
    assert str(Spread(0.5, 0.0, 2)) == "0.50"
    shown = [show(v) for v in (None, True, False, 1234, 0.5, "x")]
    assert shown == ["-", "yes", "no", "1,234", "0.5000", "x"]
    spread = Spread(0.9, 0.01, 3, seeds=1)
    rows = [("ours", spread, 12345), ("theirs", None, 1)]
    table = Table(
        "table", "Title", ("method", "AUROC", "n"), rows, ("A note.",)
    )
    assert table.to_markdown(2) == (
        "## Title\n\n| method | AUROC | n |\n|---|---|---|\n"
        "| ours | 0.900 ± 0.010 (of 1) | 12,345 |\n| theirs | - | 1 |\n\n"
        "A note."
    )
    assert json.loads(json.dumps(table.to_dict()))["rows"] == [
        ["ours", {"mean": 0.9, "half_width": 0.01, "seeds": 1}, 12345],
        ["theirs", None, 1],
    ]


def test_tables_without_records_are_empty():
    for results in ({}, {"wn18rr/x": {}, "nl27k/x/0": {}}):
        for name, maker in TABLES.items():
            table = maker.make(make_records(results))
            assert table.name == name
            assert table.to_markdown().startswith(f"### {table.title}\n")
            if name not in ("verdicts", "effort"):
                assert table.rows == [], name


def test_figures_are_shown_beside_the_paper():
    path = "methods", "cagp", "overall", "auroc"
    table = TABLES["table3"].make(
        make_records(
            {
                **seeds("wn18rr/detection/standard-stated", [0.5, 0.7], *path),
                **seeds(
                    "fb15k-237/detection/standard-stated", [0.8] * 2, *path
                ),
                **seeds("synthetic/detection/standard-stated", [0.9], *path),
                # Of another protocol.
                **seeds("icews14/detection/temporal-like-stated", [0.1], *path),
            }
        )
    )
    assert table.columns == [
        *("method", "fb15k-237", "paper", "wn18rr", "paper", "synthetic")
    ]
    ((title, ours, paper, second, second_paper, third),) = table.rows
    assert (title, ours, paper) == ("CAGP", Spread(0.8, 0.0), 0.960)
    # The two values lie 0.1 from their mean; the factor is 12.7062.
    assert (second.mean, second.half) == pytest.approx((0.6, 1.27062), rel=1e-5)
    assert (second_paper, third) == (0.871, Spread(0.9, seeds=1))


def test_sizes_are_compared_with_the_paper():
    sizes = {
        "num_nodes": 14541,
        "num_relations": 237,
        "num_train": 272115,
        "num_val": 17535,
        "num_test": 20466,
        "coverage_nnz": 344_622,
        "coverage_bytes": 751_638,
        "presets": {"stated": {"coverage": {"density": 0.1}}},
    }
    names = ("synthetic", "wn18rr", "fb15k-237")
    rows = (
        TABLES["statistics"]
        .make(make_records({f"{name}/graph": sizes for name in names}))
        .rows
    )
    assert rows == [
        [name, 14541, 237, 272115, 17535, 20466, 344622, "10.0 %", "0.75", same]
        for name, same in (
            ("fb15k-237", True),
            ("wn18rr", False),
            ("synthetic", None),
        )
    ]


@for_each("dataset", ["fb15k-237", "icews14"])
def test_table_of_one_graph(dataset):
    """It shows the graph with records; the paper has one graph only."""
    areas = {"emerging": {"auroc": 0.7}, "overall": {"auroc": 0.9}}
    result = {
        "methods": {"structural": areas},
        "counts": {"test": {"id": 5, "emerging": 1, "novel": 2}},
    }
    name = f"{dataset}/detection/temporal-like-table2/0"
    table = TABLES["table2"].make(
        make_records({name: result, "wn18rr/graph": {}})
    )
    assert table.title == f"By kind of OOD, AUROC, {dataset}"
    note = "Test triples: 5 id, 1 emerging, 2 novel"
    (row,) = table.rows
    if dataset == "icews14":
        assert table.columns == ["method", "emerging", "overall"]
        assert row == ["U_str", Spread(0.7), Spread(0.9)]
        assert table.notes[-1] == f"{note}."
    else:
        assert row[1:] == [Spread(0.7), 0.784, Spread(0.9), 0.935]
        paper = "(paper: 13,050 id, 2,223 emerging, 5,193 novel)"
        assert table.notes[-1] == f"{note} {paper}."


def test_weeks_are_averaged_by_four():
    def weeks(frozen):
        return [
            {
                "week": week,
                "num_triples": 10 * (week + 1),
                "auroc": {"semantic": 0.1 * week, "structural": frozen},
            }
            for week in range(5)
        ]

    results = {
        f"icews14/arrival/{seed}": {"weeks": weeks(frozen)}
        for seed, frozen in enumerate((0.2, 0.4))
    }
    first, last = TABLES["arrival"].make(make_records(results)).rows
    assert first[:3] == ("icews14", "1 to 4", 10 + 20 + 30 + 40)
    assert [f.mean for f in first[3:]] == pytest.approx([0.15, 0.3])
    assert last[:3] == ("icews14", "5 to 5", 50)
    assert [f.mean for f in last[3:]] == pytest.approx([0.4, 0.3])


def errors(accuracy, first, p=0.5, answered=0.6):
    """A result of how two methods rank errors, one with an AURC of 0.4."""
    selective = {
        "0.85": {"accuracy": answered, "optimum": 1, "answer_rate": 0.8}
    }
    pair = {"first": "cagp", "second": "max probability"}
    return {
        "accuracy": accuracy,
        "methods": {
            "cagp": {"aurc": first, "selective": selective},
            "max probability": {"aurc": 0.4, "selective": selective},
        },
        "comparisons": [{**pair, "p_bootstrap_holm": p}],
    }


def test_errors_are_compared_with_the_maximum_probability():
    table = TABLES["errors"].make(
        make_records(
            {
                "wn18rr/errors/0": errors(0.5, 0.41, 0.0092),
                "wn18rr/errors/1": errors(0.5, 0.38),
                "wn18rr/errors/2": errors(0.5, 0.42),
                "codex-s/errors/0": errors(0.5, 0.3, 0.001),
            }
        )
    )
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["CAGP"][1] == "worse in 2 of 3, p 0.0092"
    assert rows["CAGP"][3] == "better in 1 of 1, p 0.0010"
    assert rows["max probability"][1] is None


def test_error_reduction_of_selective_prediction():
    results = {
        "fb15k-237/errors/0": errors(0.5, 0.4, answered=0.6),
        "fb15k-237/errors/1": errors(0.6, 0.4, answered=0.6),
    }
    table = TABLES["selective"].make(make_records(results))
    rows = {row[0]: row for row in table.rows}
    # 40 % wrong in place of 50 %, and as many as before.
    assert rows["CAGP"][5].mean == pytest.approx((0.2 + 0.0) / 2)
    assert rows["CAGP"][1] == Spread(0.8, 0.0, 3)
    # The paper has 21.6 % wrong in place of 37.7 %.
    assert rows["CAGP"][6] == pytest.approx(1 - 0.216 / 0.377)
    answered, accuracy = rows["no abstention"][1:3]
    assert (answered, accuracy.mean) == ("1.0000", 0.55)


def test_significance_shows_differences_and_p_values():
    row = {"first": "cagp", "second": "semantic", "difference": 0.25}
    aside = {**row, "first": "semantic", "second": "cagp"}
    other = {**row, "second": "ukge", "difference": -0.1}

    def result(p, *rows):
        return {"comparisons": [{**r, "p_bootstrap_holm": p} for r in rows]}

    name = "wn18rr/detection/standard-stated"
    results = {
        f"{name}/0": result(0.0016, row, aside),
        "wn18rr/baselines/standard-stated/0": result(0.5, other),
        # Only the first seed is compared.
        f"{name}/1": result(1.0, row),
    }
    table = TABLES["significance"].make(make_records(results))
    assert table.columns == ["method", "wn18rr, random tails"]
    assert table.rows == [
        ["UKGE", "-0.1000, p 0.5000"],
        ["U_sem", "+0.2500, p 0.0016"],
    ]


def test_effort_sums_the_seconds():
    """A model that was loaded counts by the time of its training."""
    trained = {"seconds": {"training": 7000.0, "posterior": 200.0}}
    results = {
        "a/models/m/0": trained,
        "a/models/m/1": trained,
        "a/baselines/x/0": {},
        "b/scores/y/0": {"seconds": {"fit": 9999.0}},
    }
    seconds = dict(zip(results, (10.0, 7200.0, 1790.0, 3600.0), strict=True))
    records = Records(MemoryStore(results, seconds=seconds))
    assert TABLES["effort"].make(records).rows == [
        ("a", 3, "4.00", "0.50", "4.50"),
        ("b", 1, "0.00", "1.00", "1.00"),
        ("all", 4, "4.00", "1.50", "5.50"),
    ]


def test_an_empty_table_has_a_note():
    table = TABLES["appendix"].make(make_records({"wn18rr/graph": {}}))
    assert "table `stated` or `inclusive`" in table.to_markdown()
    assert table.to_dict()["notes"] == list(table.if_empty)


@for_each(
    ("table", "record", "reads"),
    [
        ("table2", "x/detection/temporal-like-table2/0", True),
        ("table2", "x/baselines/temporal-like-table2/2", True),
        ("table2", "x/detection/standard-stated/0", False),
        # It has no row of a baseline.
        ("mixing", "x/detection/standard-stated/0", True),
        ("mixing", "x/baselines/standard-stated/0", False),
        ("posteriors", "x/models/gaussian-rotate/0", True),
        ("statistics", "x/graph", True),
        ("verdicts", "x/leak/1", True),
    ],
)
def test_records_read_by_a_table(table, record, reads):
    assert TABLES[table].reads(record) == reads
