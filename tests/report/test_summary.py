"""The three sentences that open the page, case by case."""

import pytest

from pyg_cagp.report.summary import summarize


def ranking(first, ten, amri=0.9):
    side = {"num": 500, "amri": amri}
    by_side = {"tail": side, "head": side}
    return {"hits@1": first, "hits@10": ten, "by_side": by_side}


def errors(accuracy, auroc, selected, risk=(0.5, 0.5), emerging=0.5):
    selective = {"answer_rate": 0.84, "accuracy": selected, "optimum": 1.0}
    return {
        "accuracy": accuracy,
        "methods": {
            "semantic": {"auroc": None, "selective": {"0.85": selective}},
            "evidence": {"auroc": auroc, "selective": {"0.85": selective}},
        },
        "kinds": {
            "id": {"size": 400, "share": 0.5},
            "emerging": {"size": 400, "share": emerging},
        },
        "curves": {"evidence": {"x": [0.9, 1.0], "y": list(risk)}},
    }


def detection(auroc):
    rows = {"overall": {"auroc": auroc}}
    two = {"counts": {"id": 9, "corrupted": 9}, "methods": {"CAGP": rows}}
    other = {"overall": {"auroc": 0.999}}
    # The protocol with the most kinds counts.
    return {
        "standard": {**two, "methods": {"semantic": other}},
        "comprehensive": {**two, "counts": {"id": 9, "novel": 9, "false": 9}},
    }


def sentences(ranks=None, wrong=None, detected=None):
    ranks = ranks or ranking(0.3, 0.4)
    parts = {"ranking": ranks, "errors": wrong, "detection": detected or {}}
    return summarize(parts)


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        (ranking(0.61, 0.8), "right more often than wrong"),
        (ranking(0.21, 0.8), "for a list of ten answers"),
        (ranking(0.21, 0.4), "weak"),
        # Two standard errors of 1,000 uniform ranks: 0.0365.
        (ranking(0.01, 0.03, amri=0.036), "not better than guessing"),
        (ranking(0.01, 0.03, amri=0.037), "weak"),
    ],
)
def test_the_first_sentence_grades_the_model(ranks, words):
    summary = sentences(ranks)
    assert words in summary.quality
    for key in ("hits@1", "hits@10"):
        assert f"{ranks[key]:.1%}" in summary.quality
    guess = words == "not better than guessing"
    assert summary.action.startswith("Train" if guess else "Check")


def test_a_useful_uncertainty_is_recommended():
    # Of 100 answers 40 are wrong, 33 of them among the first 90.
    wrong = errors(0.6, 0.8, 0.7, risk=(33 / 90, 0.4))
    summary = sentences(wrong=wrong, detected=detection(0.9))
    assert "by evidence (70.0% wrong)" in summary.distrust
    assert "of all answers, 40.0% are wrong" in summary.distrust
    for number in ("84.0%", "70.0%", "60.0%", "by evidence"):
        assert number in summary.action


@pytest.mark.parametrize(("auroc", "selected"), [(0.55, 0.7), (0.8, 0.6)])
def test_a_useless_uncertainty_is_not_recommended(auroc, selected):
    wrong = errors(0.6, auroc, selected, risk=(33 / 90, 0.4))
    summary = sentences(wrong=wrong)
    assert summary.distrust.startswith("No group of answers")
    assert summary.action.startswith("Check every answer: no uncertainty")
    wrong = errors(0.4, auroc, 0.4)
    summary = sentences(wrong=wrong, detected=detection(0.9))
    assert summary.distrust.startswith("Do not trust any single answer: 60.0%")
    assert summary.action.startswith("Train a better model or check")
    assert "by CAGP" in summary.action
    assert "(AUROC 0.900)" in summary.action


def test_kinds_that_are_wrong_clearly_more_often_are_named():
    # Wilson's intervals of 400 at 0.5: 0.451 to 0.549.
    close = sentences(wrong=errors(0.5, None, 0.5, emerging=0.55))
    assert "rare in training" not in close.distrust
    far = sentences(wrong=errors(0.5, None, 0.5, emerging=0.75))
    assert "rare in training (75.0% wrong)" in far.distrust


def test_without_answers_the_detector_counts():
    summary = sentences(detected=detection(0.9))
    assert "by CAGP" in summary.distrust
    assert "(AUROC 0.900)" in summary.distrust
    for detected in ({}, detection(0.55), detection(None)):
        summary = sentences(detected=detected)
        assert summary.distrust.startswith("It is not known")
        assert summary.action.startswith("Check every answer: no uncertainty")
