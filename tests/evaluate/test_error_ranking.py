"""Errors of predictions, by hand and by brute force."""

import pytest
import torch
from sklearn.metrics import roc_auc_score
from torch_geometric.nn.kge import DistMult, KGEModel

from pyg_cagp import evaluate
from pyg_cagp.data import as_kg, triples
from pyg_cagp.datasets import load
from pyg_cagp.evaluate import predictions
from pyg_cagp.exceptions import InvalidInputError
from tests.conftest import split


@pytest.fixture(scope="module")
def kg():
    return load("synthetic")


@pytest.fixture(scope="module")
def model(kg):
    torch.manual_seed(0)
    return DistMult(kg.num_nodes, kg.num_relations, 8)


class LargestEntity(KGEModel):
    """Its score grows with the indices of head and tail."""

    def forward(self, head_index, rel_type, tail_index):
        return (head_index + tail_index).float() + 0 * self.node_emb.weight[
            0, 0
        ]


def test_predictions_by_hand():
    kg = as_kg(
        (
            split((0, 0, 4), (3, 0, 1)),
            split((0, 0, 3)),
            # (0, 0, 4) is in train too; it is still a query.
            split((0, 0, 4), (0, 0, 2), (1, 0, 4)),
        )
    )
    got = predictions(LargestEntity(5, 1, 2), kg, split="test")
    triples = list(
        zip(*(column.tolist() for column in (*got[:3], got.error)), strict=True)
    )
    # Two tail queries, (0, 0, ?) and (1, 0, ?), then two head queries,
    # (?, 0, 2) and (?, 0, 4).
    assert triples == [
        (0, 0, 4, False),
        (1, 0, 4, False),
        (4, 0, 2, True),
        (4, 0, 4, True),
    ]
    assert got.side.tolist() == [0, 0, 1, 1]
    # (0, 0, 3) is known from validation; 0, 1, 2 and 4 are candidates.
    want = 1 - torch.tensor([0.0, 1, 2, 4]).softmax(0)[-1]
    torch.testing.assert_close(got.uncertainty[0], want.double())


def test_predictions_leave_out_known_answers():
    kg = as_kg((split((0, 0, 4)), split((0, 0, 3)), split((0, 0, 2))))
    assert predictions(LargestEntity(5, 1, 2), kg, split="test").tail[0] == 2
    assert predictions(LargestEntity(5, 1, 2), kg, split="val").tail[0] == 3


def test_estimators_are_called_with_predictions(model, kg):
    calls = []

    def spy(h, r, t):
        calls.append(torch.stack([h, r, t]))
        return h.double()

    evaluate.error_ranking(model, {"spy": spy}, kg, num_resamples=9)
    val, test = (
        predictions(model, kg, split=split) for split in ("val", "test")
    )
    assert torch.equal(calls[0], torch.stack(val[:3]))
    assert torch.equal(calls[1], torch.stack(test[:3]))
    head, rel, tail = triples(kg, "test")
    queries = {
        *(
            ("tail", *pair)
            for pair in zip(head.tolist(), rel.tolist(), strict=True)
        ),
        *(
            ("head", *pair)
            for pair in zip(tail.tolist(), rel.tolist(), strict=True)
        ),
    }
    assert test.error.numel() == len(queries)


def test_figures_equal_scikit_learn_and_definitions(model, kg):
    predicted = predictions(model, kg)
    error = predicted.error
    oracle = {
        tuple(row): bool(wrong)
        for row, wrong in zip(
            torch.stack(predicted[:3], 1).tolist(), error, strict=True
        )
    }

    def is_error(h, r, t):
        rows = torch.stack([h, r, t], 1).tolist()
        return torch.tensor([float(oracle.get(tuple(row), 1)) for row in rows])

    record = evaluate.error_ranking(
        model,
        {"oracle": is_error, "opposite": lambda *x: -is_error(*x)},
        kg,
        rates=[1, 0.5],
        risks=0,
        num_resamples=199,
    )
    accuracy = 1 - float(error.double().mean())
    assert record["accuracy"] == pytest.approx(accuracy)
    assert record["num_queries"] == error.numel()
    best = record["methods"]["oracle"]
    assert best["auroc"] == 1
    assert best["e_aurc"] == pytest.approx(0, abs=1e-12)
    assert best["aurc"] == pytest.approx(record["optimal_aurc"])
    base = record["methods"]["max probability"]
    assert base["auroc"] == pytest.approx(
        roc_auc_score(error, predicted.uncertainty)
    )
    for method in record["methods"].values():
        part = method["selective"]["0.5"]
        if part["accuracy"] is not None:
            assert part["accuracy"] <= part["optimum"] + 1e-12
    # Rate 1 answers all of validation, so its threshold is the maximum.
    answered = (
        predicted.uncertainty
        <= predictions(model, kg, split="val").uncertainty.max()
    )
    assert base["selective"]["1"]["accuracy"] == pytest.approx(
        1 - float(error[answered].double().mean())
    )
    rows = {row["first"]: row for row in record["comparisons"]}
    assert rows["oracle"]["difference"] < 0 < rows["opposite"]["difference"]
    assert rows["oracle"]["difference"] == pytest.approx(
        best["aurc"] - base["aurc"]
    )
    assert (
        rows["opposite"]["p_bootstrap_holm"] >= rows["opposite"]["p_bootstrap"]
    )


def test_bad_input_raises(model, kg, toy):
    zero = {"max probability": lambda h, r, t: h.double()}
    for bad in (0, 1.5, -0.1, (0.5, 2), float("nan"), "half", None):
        with pytest.raises(InvalidInputError, match="'rates'"):
            evaluate.error_ranking(model, {}, kg, rates=bad)
    with pytest.raises(InvalidInputError, match="'risks'"):
        evaluate.error_ranking(model, {}, kg, risks=1)
    with pytest.raises(InvalidInputError, match="max probability"):
        evaluate.error_ranking(model, zero, kg)
    with pytest.raises(InvalidInputError, match="another graph"):
        evaluate.error_ranking(model, {"x": zero}, toy)
    toy.val_mask[:] = False
    with pytest.raises(InvalidInputError, match="validation"):
        evaluate.error_ranking(
            DistMult(5, 3, 2), {"x": lambda h, r, t: h.double()}, toy
        )
