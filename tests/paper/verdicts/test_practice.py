"""Claims about calibration, selection and cost."""


def calibrated(**methods):
    """One cell each of our methods and of others, by protocol."""
    found = {}
    for setting, place in (
        ("standard-stated", 0),
        ("comprehensive-stated", 1),
        ("temporal-like-table2", 2),
    ):
        for name, figures in methods.items():
            kind = "rivals" if name in ("ukge", "sngp") else "detection"
            cell = found.setdefault(
                f"fb15k-237/{kind}/{setting}/0", {"methods": {}}
            )
            ece, brier = figures[place]
            cell["methods"][name] = {
                "calibration": {"ece": ece, "brier": brier}
            }
    return found


def test_calibration_is_judged_on_all_triples_it_may_be_of(claims):
    rows = claims(
        calibrated(
            cagp=[(0.05, 0.2), (0.05, 0.1), (0.05, 0.1)],
            structural=[(0.1, 0.3), (0.06, 0.05), (0.04, 0.2)],
            semantic=[(0.1, 0.3), (0.1, 0.3), (0.1, 0.3)],
            score=[(0.2, 0.3), (0.2, 0.3), (0.2, 0.3)],
            ukge=[(0.2, 0.15), (0.2, 0.3), (0.2, 0.3)],
        )
    )
    told = "calibration of CAGP (of which triples, is not said): {}"
    assert rows[told.format("ECE")].verdict == "holds"
    assert rows[told.format("Brier score")].verdict == (
        "does not hold on random tails; holds on comprehensive and "
        "temporal-like"
    )
    below = "calibration: ECE of CAGP is below that of {} by"
    assert rows[below.format("U_sem")].verdict == "holds"
    assert rows[below.format("U_str")].verdict == (
        "does not hold on comprehensive and temporal-like; holds on random "
        "tails; by the Brier score, which a doubt that tells little cannot "
        "win, CAGP is better on temporal-like"
    )
    (best,) = (r for t, r in rows.items() if "best of the paper's seven" in t)
    assert best.ours == (
        "0.050 / 0.200 (random tails), 0.050 / 0.100 (comprehensive), 0.050 / "
        "0.100 (temporal-like)"
    )
    assert best.verdict == (
        "does not hold: ECE is lower with U_str (temporal-like); Brier score "
        "is lower with UKGE (random tails), U_str (comprehensive)"
    )


def test_what_is_best_calibrated_everywhere_holds(claims):
    rows = claims(
        calibrated(
            cagp=[(0.01, 0.01)] * 3,
            structural=[(0.1, 0.3)] * 3,
            semantic=[(0.1, 0.3)] * 3,
            score=[(0.2, 0.3)] * 3,
        )
    )
    found = [r.verdict for t, r in rows.items() if "calibration" in t]
    assert found == ["holds"] * 5


def chosen(accuracy, answered):
    figures = {"accuracy": accuracy, "answer_rate": answered}
    return {"selective": {"0.85": figures}, "aurc": 0.5}


def test_who_answers_more_is_not_compared(claims):
    methods = {
        "cagp": chosen(0.35, 0.84),
        "structural": chosen(0.36, 0.95),
        "semantic": chosen(0.34, 0.86),
    }
    others = {"ukge": chosen(0.37, 0.85), "ensemble": chosen(0.36, 0.84)}

    def verdict(**change):
        cells = {
            "fb15k-237/errors/0": {"accuracy": 0.33, "methods": methods},
            "fb15k-237/rival-errors/0": {
                "accuracy": 0.33,
                "methods": others | change,
            },
        }
        rows = claims(cells)
        (row,) = (r for t, r in rows.items() if "best of the paper's five" in t)
        return row.verdict

    apart = " (U_str, which answers 95 %, is not compared)"
    assert verdict() == (
        "does not hold: more is right with UKGE and Deep Ensemble, mutual "
        f"information{apart}"
    )
    worse = chosen(0.3, 0.85)
    assert verdict(ukge=worse, ensemble=worse) == (
        f"holds among the 3 others that can be compared{apart}"
    )


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
