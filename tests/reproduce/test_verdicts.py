"""When a claim is said to hold."""

import json

import pytest

from pyg_cagp.reproduce import TABLES, Records, Store
from pyg_cagp.reproduce.store import SCHEMA
from pyg_cagp.reproduce.tables import Spread
from pyg_cagp.reproduce.tables.verdicts.rules import (
    near_chance,
    not_above,
    not_below,
    same,
)


@pytest.mark.parametrize(
    ("rule", "ours", "paper", "verdict"),
    [
        (same, Spread(0.82), 0.825, "holds"),
        (same, Spread(0.80), 0.825, "does not hold: lower here"),
        (same, Spread(0.85), 0.825, "does not hold: higher here"),
        # The interval reaches to within 0.01.
        (same, Spread(0.80, 0.016), 0.825, "holds"),
        (not_below, Spread(0.99), 0.825, "holds"),
        (not_below, Spread(0.80), 0.825, "does not hold: lower here"),
        (not_below, Spread(0.80, 0.016), 0.825, "holds"),
        (not_above, Spread(0.03), 0.089, "holds"),
        (not_above, Spread(0.143, 0.001), 0.112, "does not hold: higher here"),
    ],
)
def test_a_figure_beside_that_of_the_paper(rule, ours, paper, verdict):
    assert rule(ours, paper) == verdict
    assert rule(None, paper) == "not computed yet"


def test_near_chance_is_on_both_sides_of_a_half():
    assert near_chance(Spread(0.36)) == near_chance(Spread(0.64)) == "holds"
    assert near_chance(Spread(0.66)) == "does not hold: above chance here"
    assert near_chance(Spread(0.34)) == "does not hold: below chance here"
    assert near_chance(Spread(0.66, 0.02)) == "holds"
    assert near_chance(Spread(0.34, 0.02)) == "holds"
    assert near_chance(None) == "not computed yet"


@pytest.fixture
def claims(tmp_path):
    """Makes the page of some records, by claim."""

    def make(results):
        store = Store(tmp_path)
        for name, result in results.items():
            path = store.path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            record = {"schema": SCHEMA, "key": "", "result": result}
            path.write_text(json.dumps(record))
        table = TABLES["verdicts"][0](Records(store))
        return {row.title: row for row in table.rows}

    return make


def test_claims_on_variances_are_judged_by_the_papers_recipe(claims):
    def presets(area, delta):
        found = {
            "assumptions": {
                "A1": {"spearman": -0.9},
                "A4": {"delta": delta},
                "A5": {"rho": 0.13},
                "A6": {"auroc": area},
            },
            "theorems": {"semantic on novel": {"measured": 0.5}},
        }
        return {"presets": {"inclusive": found}}

    shipped = {"wn18rr/models/gaussian-complex/0": presets(0.6, 0.9)}
    title = "A6: U_sem on emerging entities, wn18rr"
    gap = "A4: largest gap of U_sem, which should be below 1, wn18rr"
    rows = claims(shipped)
    assert rows[title].verdict == "does not hold: lower here"
    assert rows[gap].verdict == (
        "does not hold: violated in the paper, satisfied here"
    )
    recipe = {"model": presets(0.8, 1.2), "detection": {}}
    rows = claims({**shipped, "wn18rr/recipe/0": recipe})
    assert (rows[title].ours.mean, rows[title].recipe.mean) == (0.6, 0.8)
    assert rows[title].verdict == "holds"
    assert rows[gap].verdict == "holds: violated here and in the paper"


@pytest.mark.parametrize(
    ("leaking", "verdict"),
    [
        (0.955, "does not hold: a scale that sees labels gives 0.955"),
        (
            0.915,
            "does not hold: lower here; of the scales that see labels, the "
            "nearest gives 0.915",
        ),
    ],
)
def test_a_scale_explains_only_what_it_gives(claims, leaking, verdict):
    area = {"methods": {"cagp": {"overall": {"auroc": 0.87}}}}
    signal = {"as published, range": 0.88, "as published, largest": leaking}
    rows = claims(
        {
            "fb15k-237/detection/standard-stated/0": area,
            "fb15k-237/leak/0": {"variance": signal},
        }
    )
    assert rows["random tails, CAGP, fb15k-237"].verdict == verdict


def test_what_costs_much_of_one_pass_and_little_of_another(claims):
    def verdict(forward, tails):
        cost = {
            "structural / forward": forward,
            "structural / all tails": tails,
        }
        rows = claims({"fb15k-237/cost/0": cost})
        return rows["U_str adds to a forward pass"].verdict

    assert verdict(0.01, 0.001) == "holds"
    over = "does not hold for a pass over the same triples"
    assert verdict(0.6, 0.004) == f"{over}; holds for one that scores all tails"
    assert verdict(0.6, 0.04) == over


def test_yago_is_judged_where_there_are_records(claims):
    untested = claims({})["all figures of YAGO3-10"]
    assert untested.verdict.startswith("cannot be tested here")
    area = {"methods": {"cagp": {"overall": {"auroc": 0.95}}}}
    rows = claims({"yago3-10/detection/temporal-like-table2/0": area})
    assert rows["temporal-like, cagp, yago3-10"].verdict == "holds"
    assert "all figures of YAGO3-10" not in rows
