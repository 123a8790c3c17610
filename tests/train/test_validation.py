"""Validation passes."""

import pytest
import torch

from pyg_cagp.data import triples
from pyg_cagp.evaluate import ranking
from pyg_cagp.train import Validation, build_model
from tests.train.graph import graph


@pytest.mark.parametrize("num_val", [1, 3, 40])
@pytest.mark.parametrize(
    "model", ["gaussian-complex", "gaussian-transe", "kg2e"]
)
def test_log_loss_is_that_of_a_softmax_over_all_entities(model, num_val):
    """Few queries are padded, so their number matters."""
    kg = graph(30, 90, num_val=num_val)
    options = {"reciprocal": True} if model == "gaussian-complex" else {}
    model = build_model({"name": model, **options}, 30, 3)
    torch.nn.init.normal_(model.node_emb.weight)
    model.eval()
    h, r, t = triples(kg, "val")
    with torch.no_grad():
        tails = torch.nn.functional.cross_entropy(model.score_tails(h, r), t)
        heads = torch.nn.functional.cross_entropy(model.score_heads(r, t), h)
    got = Validation(kg)(model)
    assert got["val/log_loss"] == pytest.approx(float(tails + heads) / 2)
    expected = ranking(model, kg, split="val")
    assert got["val/mrr"] == pytest.approx(expected["mrr"])
