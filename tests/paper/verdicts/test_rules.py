"""When a claim is said to hold."""

import pytest
from benchmark.paper.tables.verdicts.rules import (
    by_recipe,
    near_chance,
    not_above,
    not_below,
    on_each,
    same,
)

from benchmark.paper.tables import Spread


@pytest.mark.parametrize(
    ("rule", "ours", "paper", "verdict"),
    [
        (same, Spread(0.82), 0.825, "holds"),
        (same, Spread(0.80), 0.825, "does not hold: lower here"),
        (same, Spread(0.85), 0.825, "does not hold: higher here"),
        # The interval reaches to within 0.01.
        (same, Spread(0.80, 0.016), 0.825, "holds"),
        # It holds, but much else would.
        (
            same,
            Spread(0.68, 0.06),
            0.612,
            "holds, higher but within a wide interval",
        ),
        (same, Spread(0.615, 0.06), 0.612, "holds"),
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
    # A wide interval is no reason for it to hold.
    assert near_chance(Spread(0.66, 0.02)).startswith("does not hold")
    assert near_chance(Spread(0.34, 0.02)).startswith("does not hold")
    assert near_chance(None) == "not computed yet"


def test_both_models_are_told_of_where_they_differ():
    chance, above = Spread(0.5), Spread(0.8)
    assert by_recipe(near_chance, above, None) == (
        "does not hold: above chance here"
    )
    assert by_recipe(near_chance, chance, chance) == "holds"
    assert by_recipe(near_chance, above, chance) == (
        "holds; with the model that ships it does not"
    )
    assert by_recipe(near_chance, chance, above) == (
        "does not hold: above chance here; with the model that ships it holds"
    )
    assert by_recipe(near_chance, None, chance) == "holds"
    assert by_recipe(near_chance, None, None) == "not computed yet"


def test_a_claim_that_does_not_say_of_what_it_is():
    holds, fails = "holds", "does not hold: lower here"
    assert on_each({"a": holds, "b": holds}) == holds
    assert on_each({"a": fails, "b": fails}) == fails
    assert on_each({"a": fails, "b": "does not hold: higher here"}) == (
        "does not hold"
    )
    assert on_each({"a": holds, "b": fails, "c": holds, "d": holds}) == (
        "does not hold on b; holds on a, c and d"
    )
